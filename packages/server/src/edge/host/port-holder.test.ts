import { expect, it } from 'vitest'
import { listeningInodes } from './port-holder.ts'

it('the sockets that listen on a port are found in the table of the kernel', () => {
  const table = [
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
    '   0: 00000000:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0 100 0 0 10 0',
    '   1: 0100007F:0050 0100007F:9999 01 00000000:00000000 00:00000000 00000000     0        0 4712 1 0 100 0 0 10 0',
    '   2: 00000000:0051 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4713 1 0 100 0 0 10 0',
  ].join('\n')
  expect(listeningInodes(table, 80)).toEqual(['4711'])
})
