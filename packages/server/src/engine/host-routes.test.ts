import { expect, it } from 'vitest'
import { hostSubnets } from './host-routes.ts'

const TABLE = `Iface	Destination	Gateway 	Flags	RefCnt	Use	Metric	Mask		MTU	Window	IRTT
eth0	00000000	010200C0	0003	0	0	0	00000000	0	0	0
br-853009856c01	0000E00A	00000000	0001	0	0	0	00FFFFFF	0	0	0
eth0	0000100A	00000000	0001	0	0	0	0000F0FF	0	0	0
`

it('reads the subnets that the machine reaches, and leaves the default route out', () => {
  expect(hostSubnets(TABLE)).toEqual(['10.224.0.0/24', '10.16.0.0/12'])
  expect(hostSubnets('')).toEqual([])
})
