import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { runProcess } from './child-process.ts'

const NEVER = new AbortController().signal
// Prints the number of a child of its own, which holds none of its output open.
const WITH_CHILD = 'sleep 600 >/dev/null 2>&1 & echo $!;'

function collector() {
  const text = { stdout: '', stderr: '' }
  const onOutput = (chunk: Buffer, stream: 'stdout' | 'stderr') => {
    text[stream] += chunk.toString()
  }
  return { text, onOutput }
}

/** A zombie is dead: not every machine's first process collects orphans at once. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

function sh(script: string, options: Partial<Parameters<typeof runProcess>[2]> = {}) {
  return runProcess('sh', ['-c', script], { onOutput: () => undefined, signal: NEVER, endWith: 'SIGKILL', ...options })
}

it('returns the exit code, with the output of each stream', async () => {
  const { text, onOutput } = collector()
  expect(await sh('echo out; echo err >&2; exit 3', { onOutput })).toBe(3)
  expect(text).toEqual({ stdout: 'out\n', stderr: 'err\n' })
})

it('passes arguments on as they are, and gets its input, environment and directory from the caller', async () => {
  const { text, onOutput } = collector()
  const options = {
    onOutput,
    signal: NEVER,
    endWith: 'SIGKILL',
    input: 'typed',
    cwd: '/usr',
    env: { PATH: '/usr/bin:/bin', A: 'b c' },
  } as const
  await runProcess('sh', ['-c', 'cat; echo " $A $PWD $1"', 'sh', '$(id) *'], options)
  expect(text.stdout).toBe('typed b c /usr $(id) *\n')
})

it('survives a program that does not read its input', async () => {
  expect(await sh('exit 0', { input: 'x'.repeat(1024 * 1024) })).toBe(0)
})

it('rejects when there is no such program', async () => {
  const running = runProcess('no-such-program', [], { onOutput: () => undefined, signal: NEVER, endWith: 'SIGKILL' })
  await expect(running).rejects.toMatchObject({ code: 'ENOENT' })
})

it.each(['SIGKILL', 'SIGTERM'] as const)('an abort ends the whole group with %s', async (endWith) => {
  const aborting = new AbortController()
  const { text, onOutput } = collector()
  const running = sh(`${WITH_CHILD} sleep 600`, {
    endWith,
    signal: aborting.signal,
    onOutput: (chunk, stream) => {
      onOutput(chunk, stream)
      aborting.abort(new Error('enough'))
    },
  })
  await expect(running).rejects.toThrow('enough')
  await expect.poll(() => isAlive(Number(text.stdout))).toBe(false)
})

it('does not start after an abort', async () => {
  await expect(sh('exit 0', { signal: AbortSignal.abort(new Error('too late')) })).rejects.toThrow('too late')
})

it('output that is refused ends the program, and no more is delivered', async () => {
  let chunks = 0
  const onOutput = () => {
    chunks += 1
    throw new Error('too much output')
  }
  await expect(sh('while :; do echo more; done', { onOutput })).rejects.toThrow('too much output')
  expect(chunks).toBe(1)
})

it('SIGKILL ends what outlives the program, SIGTERM leaves it running', async () => {
  const killed = collector()
  await sh(WITH_CHILD, { onOutput: killed.onOutput })
  await expect.poll(() => isAlive(Number(killed.text.stdout))).toBe(false)
  const left = collector()
  await sh(WITH_CHILD, { onOutput: left.onOutput, endWith: 'SIGTERM' })
  const pid = Number(left.text.stdout)
  expect(isAlive(pid)).toBe(true)
  process.kill(pid, 'SIGKILL')
})

it('what outlives the program and keeps its output open is ended too, and the exit code is that of the program', async () => {
  const { text, onOutput } = collector()
  expect(await sh('sleep 600 & echo $!; exit 3', { onOutput })).toBe(3)
  await expect.poll(() => isAlive(Number(text.stdout))).toBe(false)
})

it('what runs in the background, and all that it starts, gives way to others', async () => {
  const { text, onOutput } = collector()
  await sh('sleep 0.3; nice', { onOutput, isBackground: true })
  expect(text.stdout).toBe('10\n')
})
