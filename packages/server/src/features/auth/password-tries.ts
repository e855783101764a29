import { addressGroup } from '../../http/connections.ts'
import type { FamiliarAddresses, Login } from './familiar-addresses.ts'
import type { LoginTurns } from './login-turns.ts'
import type { SlowDown } from './slow-down.ts'

type Deps = { slowDown: SlowDown; turns: Pick<LoginTurns, 'take'>; familiar: FamiliarAddresses }
type Check<Result> = (turn: { isFamiliar: boolean }) => Promise<Result | undefined>

/**
 * Every look at the password of an account goes through here, so that guessing is slow however many try at once. An address
 * from which the account has been used before has a count and a queue of its own: strangers who flood the account cannot keep
 * its owner out. An e-mail that nobody has is treated as one that somebody has.
 */
export function createPasswordTries({ slowDown, turns, familiar }: Deps) {
  return async <Result>(login: Login, check: Check<Result>, signal?: AbortSignal): Promise<Result | undefined> => {
    const network = familiar.find(login)
    const slot = slowDown.slotOf(network === undefined ? login.email : `${login.email} ${network}`)
    const judge = async () => {
      const result = await check({ isFamiliar: network !== undefined })
      if (result === undefined) slowDown.failed(slot)
      else {
        slowDown.succeeded(slot)
        familiar.add(login)
      }
      return result
    }
    return await turns.take(slot, judge, { from: addressGroup(login.address), signal })
  }
}

export type PasswordTries = ReturnType<typeof createPasswordTries>
