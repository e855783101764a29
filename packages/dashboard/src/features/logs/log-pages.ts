import type { Input, LogPage } from '@berth/contract'
import { call } from '../../lib/api.ts'
import type { LogStream } from '../../lib/log-buffer.ts'

/** One container, one service with all its containers, or without either all containers of an app. */
export type Which = { appId: number; containerId?: string; service?: string }
/** `isQuiet`: nobody waits for it. */
type Place = Pick<Input<'containers.logPage'>, 'before' | 'after' | 'around' | 'limit'> & { isQuiet?: boolean }
type Asking = { isLoading: boolean; problem: string }

export function ofStream(stream: LogStream | 'all'): { stream?: 'stdout' | 'stderr' } {
  return stream === 'stdout' || stream === 'stderr' ? { stream } : {}
}

/** Asks for one page at a time. What is on its way when another part of the log is shown is not used. */
export function createLogPages(which: Which, publish: (asking: Asking) => void) {
  let turn = new AbortController()
  let isLoading = false

  function cancel(): void {
    turn.abort()
    turn = new AbortController()
    isLoading = false
  }

  async function ask(stream: LogStream | 'all', { isQuiet = false, ...place }: Place, use: (page: LogPage) => void): Promise<void> {
    if (isLoading) return
    const { signal } = turn
    isLoading = true
    publish({ isLoading: !isQuiet, problem: '' })
    try {
      const page = await call('containers.logPage', { ...which, ...ofStream(stream), ...place }, { signal })
      if (signal.aborted) return
      isLoading = false
      publish({ isLoading, problem: '' })
      use(page)
    } catch (cause) {
      if (signal.aborted) return
      isLoading = false
      publish({ isLoading, problem: cause instanceof Error ? cause.message : 'Could not load more lines.' })
    }
  }

  return { ask, cancel }
}
