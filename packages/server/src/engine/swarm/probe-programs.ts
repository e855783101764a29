/** How much is sent in each direction: many packets of full size. */
const FULL_BYTES = 256 * 1024
const PORT = 7000
/** A kernel says once a second that it refuses, after six times in a row. */
const MOST_SENT = 20

/** Runs beside this Berth, and answers the probe. */
export const RESPONDER = `
const net = require('node:net')
net.createServer((socket) => {
  socket.on('error', () => {})
  let bytes = 0
  socket.on('data', (chunk) => {
    const isFirst = bytes === 0
    const word = isFirst ? String.fromCharCode(chunk[0]) : ''
    bytes += chunk.length
    if (word === 'c') socket.end(String(Date.now()))
    if (word === 'd') socket.end(Buffer.alloc(${FULL_BYTES}))
    if (bytes > ${FULL_BYTES}) socket.end(String(bytes))
  })
}).listen(${PORT}, '0.0.0.0')
`

/** Runs on the server that is checked. */
export const PROBE = `
const net = require('node:net')
const dgram = require('node:dgram')
const fs = require('node:fs')
const ask = (bytes, withinMs) => new Promise((resolve) => {
  const begun = Date.now()
  const got = []
  const socket = net.connect(${PORT}, process.env.PEER)
  const end = (answer) => { clearTimeout(timer); socket.destroy(); resolve(answer) }
  const timer = setTimeout(() => end(null), withinMs)
  socket.on('error', () => end(null))
  socket.on('connect', () => socket.write(bytes))
  socket.on('data', (chunk) => got.push(chunk))
  socket.on('end', () => end({ body: Buffer.concat(got), ms: Date.now() - begun }))
})
const reachUdp = (address) => new Promise((resolve) => {
  const [host, port] = address.replace('/udp', '').split(':')
  const socket = dgram.createSocket('udp4')
  const end = (found) => { clearInterval(timer); socket.close(); resolve(found) }
  let tries = 0
  const timer = setInterval(() => (tries += 1) > ${MOST_SENT} ? end([address]) : socket.send('?', () => {}), 500)
  socket.on('error', () => end([]))
  socket.connect(Number(port), host)
})
const reach = (address) => address.endsWith('/udp') ? reachUdp(address) : new Promise((resolve) => {
  const [host, port] = address.split(':')
  const socket = net.connect({ host, port: Number(port), timeout: 3000 })
  const end = (found) => { socket.destroy(); resolve(found) }
  socket.on('connect', () => end([address])).on('timeout', () => end([])).on('error', () => end([]))
})
const main = async () => {
  const reached = Promise.all(process.env.CLOSED.split(',').map(reach))
  let clock = null
  for (let tries = 0; clock === null && tries < 5; tries += 1) {
    clock = await ask('c', 2000)
    if (clock === null) await new Promise((resolve) => setTimeout(resolve, 250))
  }
  const clockMs = clock === null ? null : Math.round(Date.now() - clock.ms / 2 - Number(clock.body.toString()))
  const down = clock === null ? null : await ask('d', 5000)
  const up = clock === null ? null : await ask(Buffer.alloc(${FULL_BYTES} + 1, 'u'), 5000)
  const noNewPrivileges = /^NoNewPrivs:\\s+1$/m.test(fs.readFileSync('/proc/self/status', 'utf8'))
  const isFull = down !== null && down.body.length === ${FULL_BYTES} && up !== null
  console.log(JSON.stringify({ noNewPrivileges, clockMs, passes: clock !== null, isFull, reached: (await reached).flat() }))
}
main()
`
