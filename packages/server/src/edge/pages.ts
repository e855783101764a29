/** The pages that HAProxy itself serves, as raw HTTP messages, because HAProxy sends them unchanged. */
const PAGES = {
  'no-such-app': {
    status: '404 Not Found',
    code: 'no_such_app',
    title: 'App not found',
    text: 'No app on this server uses this domain. If you have just added it, check the spelling.',
  },
  stopped: {
    status: '503 Service Unavailable',
    code: 'app_stopped',
    title: 'This app is stopped',
    text: 'Its owner stopped it. It can be started again in the dashboard.',
    retryAfter: 60,
  },
  starting: {
    status: '503 Service Unavailable',
    code: 'app_starting',
    title: 'This app is starting',
    text: 'It will be ready in a moment. Please try again.',
    retryAfter: 5,
  },
  down: {
    status: '503 Service Unavailable',
    code: 'app_down',
    title: 'This app is not running',
    text: 'This app is down. Its logs in the dashboard say why.',
    retryAfter: 30,
  },
  busy: {
    status: '503 Service Unavailable',
    code: 'app_busy',
    title: 'This app has too many visitors',
    text: 'The app is handling as many requests as this server allows. Please try again in a moment.',
    retryAfter: 10,
  },
  'too-many': {
    status: '429 Too Many Requests',
    code: 'too_many_requests',
    title: 'Too many requests at once',
    text: 'There are too many requests from your network. Please try again in a moment.',
    retryAfter: 10,
  },
  unreachable: {
    status: '502 Bad Gateway',
    code: 'app_not_answering',
    title: 'This app is not responding',
    text: 'The app refused or dropped the connection. Please try again.',
    retryAfter: 10,
  },
  slow: {
    status: '504 Gateway Timeout',
    code: 'app_too_slow',
    title: 'This app took too long to respond',
    text: 'The app did not respond within the time limit.',
    retryAfter: 30,
  },
} as const satisfies Record<string, Page>

type Page = { status: string; code: string; title: string; text: string; retryAfter?: number }
export type PageName = keyof typeof PAGES
export type PageFormat = 'html' | 'json'

export function pageFile(name: PageName, format: PageFormat): string {
  return `${name}.${format}.http`
}

/** Every page in both formats: file name → raw HTTP response. */
export function edgePages(): Map<string, string> {
  const files = new Map<string, string>()
  for (const [name, page] of Object.entries<Page>(PAGES)) {
    files.set(`${name}.html.http`, rawResponse(page, 'text/html; charset=utf-8', html(page)))
    files.set(`${name}.json.http`, rawResponse(page, 'application/json; charset=utf-8', json(page)))
  }
  return files
}

function rawResponse(page: Page, contentType: string, body: string): string {
  const lines = [
    `HTTP/1.1 ${page.status}`,
    `Content-Type: ${contentType}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'",
    ...(page.retryAfter === undefined ? [] : [`Retry-After: ${page.retryAfter}`]),
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

function json(page: Page): string {
  return `${JSON.stringify({ error: { code: page.code, message: `${page.title}. ${page.text}` } })}\n`
}

function html(page: Page): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.title}</title>
<style>
:root { color-scheme: light dark; font-family: system-ui, sans-serif; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: Canvas; color: CanvasText; }
main { max-width: 30rem; padding: 2rem; }
h1 { font-size: 1.5rem; margin: 0 0 .5rem; }
p { line-height: 1.5; margin: 0; opacity: .8; }
small { display: block; margin-top: 1.5rem; opacity: .55; }
</style>
</head>
<body>
<main>
<h1>${page.title}</h1>
<p>${page.text}</p>
<small>${page.status}</small>
</main>
</body>
</html>
`
}
