import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { elfInterpreter, listedLibraries } from '../edge/elf.ts'
import type { Engine } from '../engine/engine.ts'
import { BUSYBOX_IMAGE, ensureBusybox, tarOf } from './test-images.ts'

export const NODE_IMAGE = 'berth-test/node:1'
const run = promisify(execFile)

/** An image with the machine's own Node.js and the libraries it loads, on top of busybox: no registry is needed. */
export async function ensureNodeImage(engine: Pick<Engine, 'images' | 'build'>): Promise<void> {
  await ensureBusybox(engine)
  if (await engine.images.exists(NODE_IMAGE)) return
  const program = await readFile(process.execPath)
  const loader = elfInterpreter(program) ?? ''
  const { stdout } = await run(loader, ['--list', process.execPath])
  const libraries = [...new Set([loader, ...listedLibraries(stdout)])]
  const files: Record<string, { bytes: Buffer; mode: number }> = { 'root/bin/node': { bytes: program, mode: 0o755 } }
  for (const library of libraries) files[`root${library}`] = { bytes: await readFile(library), mode: 0o755 }
  const folders = [...new Set(libraries.map((library) => path.dirname(library)))].join(':')
  const dockerfile = `FROM ${BUSYBOX_IMAGE}\nCOPY root/ /\nENV LD_LIBRARY_PATH=${folders}\n`
  await engine.build({
    contextTar: tarOf({ Dockerfile: dockerfile, ...files }),
    dockerfile: 'Dockerfile',
    tag: NODE_IMAGE,
    labels: {},
    onLine: () => undefined,
    signal: AbortSignal.timeout(120_000),
  })
}
