import { execFile } from 'node:child_process'
import { access, realpath } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Engine } from '../../src/engine/engine.ts'
import { filesBelow, librariesOf, packed } from '../harness/machine-files.ts'
import { BUSYBOX_IMAGE, buildTestImage, ensureBusybox } from './test-images.ts'

export const NODE_IMAGE = 'berth-test/node:1'
export const NPM_IMAGE = 'berth-test/npm:1'
const CA_BUNDLE = '/etc/ssl/certs/ca-certificates.crt'
const run = promisify(execFile)

/** An image with the machine's own Node.js and the libraries it loads, on top of busybox: no registry is needed. */
export async function ensureNodeImage(engine: Pick<Engine, 'images' | 'build'>): Promise<void> {
  await ensureBusybox(engine)
  if (await engine.images.exists(NODE_IMAGE)) return
  const { files, folders } = await librariesOf([process.execPath])
  await buildTestImage(engine, NODE_IMAGE, {
    Dockerfile: `FROM ${BUSYBOX_IMAGE}\nCOPY root/ /\nENV LD_LIBRARY_PATH=${folders}\n`,
    'root/bin/node': await packed(process.execPath),
    ...files,
  })
}

/** The Node.js image with the machine's npm, which asks the registry that the machine asks. */
export async function ensureNpmImage(engine: Pick<Engine, 'images' | 'build'>): Promise<void> {
  await ensureNodeImage(engine)
  if (await engine.images.exists(NPM_IMAGE)) return
  const command = await findOnPath('npm')
  const { stdout } = await run(command, ['config', 'get', 'registry'], { cwd: '/' })
  await buildTestImage(engine, NPM_IMAGE, {
    Dockerfile: [
      `FROM ${NODE_IMAGE}`,
      'COPY root/ /',
      'RUN ln -s /lib/npm/bin/npm-cli.js /bin/npm && mkdir -p /usr/bin && ln -s /bin/env /usr/bin/env',
      `ENV NODE_EXTRA_CA_CERTS=${CA_BUNDLE} npm_config_registry=${stdout.trim()}`,
      '',
    ].join('\n'),
    [`root${CA_BUNDLE}`]: await packed(CA_BUNDLE),
    ...(await filesBelow(path.resolve(await realpath(command), '../..'), 'root/lib/npm', (file) => !/\/(man|docs)\//.test(file))),
  })
}

async function findOnPath(program: string): Promise<string> {
  for (const folder of (process.env['PATH'] ?? '').split(':')) {
    const file = path.join(folder, program)
    const isThere = await access(file).then(
      () => true,
      () => false,
    )
    if (isThere) return file
  }
  throw new Error(`There is no ${program} on this machine`)
}
