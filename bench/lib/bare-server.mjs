// The baseline: Fastify, one route, no hooks. `node bare-server.mjs <port> <method> <path> <file with the answer>`, as a process
// of its own. Plain JavaScript, so that no type stripper sits in its memory.
import { readFileSync } from 'node:fs'
import { fastify } from 'fastify'

const [port, method, url, answerFile] = process.argv.slice(2)
const answer = JSON.parse(readFileSync(answerFile, 'utf8'))
const app = fastify()
app.route({ method, url, handler: async () => answer })
app.get('/health', async () => ({}))
await app.listen({ host: '127.0.0.1', port: Number(port) })
