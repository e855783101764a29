import { expect, it } from 'vitest'
import { accountIn } from './image-account.ts'

const accounts = async () => 'root:x:0:0:root:/root:/bin/sh\nnode:x:1000:1001::/home/node:/bin/sh\nodd:x:-1:5::/:\ntoor:x:0:0::/:/bin/sh\n'
const groups = async () => 'root:x:0:\nstaff:x:50:node\n'

it.each([
  ['', undefined],
  ['root', undefined],
  ['0:50', undefined],
  ['toor', undefined],
  ['node', { uid: 1000, gid: 1001 }],
  ['1000', { uid: 1000, gid: 1001 }],
  ['node:staff', { uid: 1000, gid: 50 }],
  ['node:7', { uid: 1000, gid: 7 }],
  ['65532', { uid: 65532, gid: 0 }],
  ['65532:nobody', { uid: 65532, gid: 0 }],
  ['2097151', { uid: 2097151, gid: 0 }],
  ['2097152', undefined],
  ['node:2097152', undefined],
  ['nobody', undefined],
  ['odd', undefined],
])('USER %s is %o', async (user, account) => {
  expect(await accountIn(user, { accounts, groups })).toEqual(account)
})
