import { addressGroup } from '../../lib/address-group.ts'
import type { KnownAddresses, Login } from './known-addresses.ts'
import type { LoginTurns } from './login-turns.ts'
import type { SlowDown } from './slow-down.ts'

type Deps = { slowDown: SlowDown; turns: Pick<LoginTurns, 'take'>; familiar: KnownAddresses }
type Check<Result> = (turn: { isFamiliar: boolean }) => Promise<Result | undefined>

/**
 * Every password check goes through here, so that guessing is slow even with parallel attempts. An address from which the account was
 * used before has its own counter and queue, so that a flood from elsewhere cannot lock the owner out. Unknown emails are treated like
 * known ones.
 */
export function createPasswordTries({ slowDown, turns, familiar }: Deps) {
  return async <Result>(login: Login, check: Check<Result>, signal?: AbortSignal): Promise<Result | undefined> => {
    const network = familiar.find(login)
    const slot = slowDown.slotOf(network === undefined ? login.email : `${login.email} ${network}`)
    const judge = async () => {
      const result = await check({ isFamiliar: network !== undefined })
      if (result === undefined) await slowDown.failed(slot)
      else {
        await slowDown.succeeded(slot)
        familiar.add(login)
      }
      return result
    }
    return await turns.take(slot, judge, { from: addressGroup(login.address), signal })
  }
}

export type PasswordTries = ReturnType<typeof createPasswordTries>
