import { expect, it } from 'vitest'
import { listeningPortsIn } from './proc-net.ts'

const TCP = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0
   1: 00000000:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 2 1 0 100 0 0 10 0
   2: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000     0        0 3 1 0 100 0 0 10 0
   3: 0B00007F:8F1B 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4 1 0 100 0 0 10 0
`
const TCP6 = `  sl  local_address                         remote_address                        st
   0: 00000000000000000000000000000000:0BB8 00000000000000000000000000000000:0000 0A
   1: 00000000000000000000000001000000:0BB9 00000000000000000000000000000000:0000 0A
   2: 0000000000000000FFFF00000100007F:0BBA 00000000000000000000000000000000:0000 0A
`

it('finds the listening ports and says which are bound to loopback only', () => {
  expect(listeningPortsIn([TCP, TCP6])).toEqual([
    { port: 80, loopbackOnly: false },
    { port: 3000, loopbackOnly: false },
    { port: 3001, loopbackOnly: true },
    { port: 3002, loopbackOnly: true },
    { port: 8080, loopbackOnly: true },
    { port: 36635, loopbackOnly: true },
  ])
})

it('counts a port as open when one of its sockets is', () => {
  expect(listeningPortsIn([TCP, TCP6.replace(':0BB8', ':1F90')]).find(({ port }) => port === 8080)).toEqual({
    port: 8080,
    loopbackOnly: false,
  })
})

it('finds nothing in nonsense', () => {
  expect(listeningPortsIn(['', 'x', '\n a b c d\n'])).toEqual([])
})
