/**
 * What a TLS helper runs: it reads its settings and pings from the server over the channel of the process, and takes connections on a socket
 * that only Berth's own user can reach. The first line of each says where it leads; what follows is passed on once the certificate of the
 * host is verified. It resolves no names. How a handshake ended is told over the channel, so that the server learns the code of a failure.
 */
export const TLS_HELPER = `
const fs = require('node:fs')
const net = require('node:net')
const tls = require('node:tls')

const NEWLINE = 10
const LONGEST_LINE = 4096
const tell = (word) => process.send(word, () => undefined)

process.once('message', ({ path, folder, tlsOptions, ca }) => {
  process.once('disconnect', () => {
    fs.rmSync(folder, { recursive: true, force: true })
    process.exit()
  })
  const secureContext = tls.createSecureContext({ ...tlsOptions, ca })
  process.on('message', () => tell({ kind: 'pong' }))
  net.createServer((inside) => take(inside, secureContext)).listen(path, () => tell({ kind: 'ready' }))
})

function take(inside, secureContext) {
  let head = Buffer.alloc(0)
  const read = (chunk) => {
    head = Buffer.concat([head, chunk])
    const end = head.indexOf(NEWLINE)
    if (end < 0) return void (head.length > LONGEST_LINE && inside.destroy())
    inside.off('data', read).pause()
    if (end + 1 < head.length) inside.unshift(head.subarray(end + 1))
    join(inside, { ...JSON.parse(head.subarray(0, end).toString()), secureContext })
  }
  inside.on('data', read)
  inside.on('error', () => undefined) // it is closed next
}

function join(inside, { id, ...to }) {
  let isSecure = false
  const outside = tls.connect({ ...to, ALPNProtocols: ['http/1.1'] })
  outside.once('secureConnect', () => {
    isSecure = true
    tell({ kind: 'secured', id })
    inside.pipe(outside)
    outside.pipe(inside)
  })
  outside.on('error', ({ code, message }) => {
    if (isSecure) inside.destroy()
    else tell({ kind: 'failed', id, code, message: String(message).slice(0, 500) })
  })
  outside.once('close', () => isSecure && inside.end())
  inside.once('close', () => outside.destroy())
}
`
