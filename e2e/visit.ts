import { request } from 'node:http'

/** What a visitor of a host name gets from the edge, whatever the machine's own DNS says. */
export async function visit(port: number, host: string, path = '/'): Promise<string> {
  return await new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, headers: { host }, agent: false }, (answer) => {
      let body = ''
      answer.on('data', (chunk: Buffer) => (body += chunk.toString()))
      answer.on('end', () => resolve(body))
    })
    asked.on('error', reject)
    asked.end()
  })
}
