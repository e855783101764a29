import { ERRORS, type Operation, operations, sockets } from '@berth/contract'
import type { TObject } from 'typebox'

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

function fields(schema: TObject | undefined): string {
  const required = new Set<string>(schema?.required ?? [])
  return Object.entries(schema?.properties ?? {})
    .map(([name, property]) => {
      const words = 'expects' in property ? String(property.expects) : ''
      return `<li><code>${escape(name)}</code>${required.has(name) ? '' : ' (optional)'}: ${escape(words)}</li>`
    })
    .join('')
}

function section(name: string, line: Operation): string {
  const list = fields(line.params) + fields(line.query) + fields(line.body)
  return `<section id="${escape(name)}"><h2>${escape(line.summary)}</h2><p><strong>${line.method}</strong> <code>${escape(line.path)}</code></p>
<p>Who may: ${escape(line.may)}</p>${list && `<ul>${list}</ul>`}</section>`
}

/** A page to read; /openapi.json is the one for programs. It needs no script and no style of its own. */
export function docsPage(version: string): string {
  const lines = Object.entries(operations).map(([name, line]) => section(name, line))
  const streams = Object.values(sockets).map(
    (line) => `<li><code>${escape(line.path)}</code>: ${escape(line.summary)} (${escape(line.may)})</li>`,
  )
  const errors = Object.entries(ERRORS).map(
    ([code, { status, message }]) => `<li><code>${code}</code> (${status}): ${escape(message)}</li>`,
  )
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Berth API</title></head>
<body><main><h1>Berth ${escape(version)}: the API</h1><p>For programs: <a href="/openapi.json">/openapi.json</a>. Answers are <code>{"success": true, "data": …}</code>.</p>
${lines.join('\n')}<section><h2>WebSockets</h2><ul>${streams.join('')}</ul></section><section><h2>Errors</h2><ul>${errors.join('')}</ul></section></main></body></html>`
}
