import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../../../lib/error-code.ts'
import type { Logger } from '../../../lib/logger.ts'
import type { SharedFiles } from '../shared-files.ts'

const NAME = 'container.log'
const MOST_LINES = 2000
const MOST_CHARACTERS = 512 * 1024

/** A line of container output with its time. */
export type KeptLine = { readonly at: string; readonly line: string }

type Deps = {
  directory: string
  log: Pick<Logger, 'warn'>
  /** If there are several nodes. */
  shared?: SharedFiles | undefined
}

/** The last output of the container of a failed release. The container itself is removed with the release. */
export function createKeptOutput({ directory, log, shared }: Deps) {
  const pathOf = (deploymentId: number) => join(directory, `d${deploymentId}-container.log`)

  /** On a full disk these lines are lost, but nothing else. */
  async function keep(deploymentId: number, lines: readonly KeptLine[]): Promise<void> {
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 })
      const text = newest(lines).join('\n')
      await writeFile(pathOf(deploymentId), text, { mode: 0o600 })
      await shared?.put(deploymentId, NAME, text)
    } catch (err) {
      log.warn({ deploymentId, err }, 'the output of a failed container was not kept')
    }
  }

  /** The last lines, as in `container/logs`, or undefined if none were kept. */
  async function read(deploymentId: number, tail: number): Promise<string> {
    try {
      const text = (await shared?.read(deploymentId, NAME)) ?? (await readFile(pathOf(deploymentId), 'utf8'))
      return text.split('\n').slice(-tail).join('\n')
    } catch (cause) {
      if (errorCode(cause) === 'ENOENT') return ''
      throw cause
    }
  }

  return { keep, read }
}

function newest(lines: readonly KeptLine[]): string[] {
  const texts = lines.slice(-MOST_LINES).map(({ at, line }) => `${at} ${line}`)
  let characters = 0
  const first = texts.findLastIndex((text) => (characters += text.length + 1) > MOST_CHARACTERS)
  return texts.slice(first + 1)
}

export type KeptOutput = ReturnType<typeof createKeptOutput>
