import { expect, it } from 'vitest'
import { judgeCompose, planCompose } from './policy.ts'

const settings = { env: {}, volumePrefix: 'berth-abc-app-7', port: 80, reservedPorts: [], newImageName: () => 'built' }

it('reports everything at once: services, what is refused and what is left out', () => {
  const text = `
services:
  web: { image: nginx, ports: ['80:80'], privileged: true }
  db: { image: postgres, container_name: mine, logging: { driver: none }, volumes: ['/etc:/etc'] }`
  const { plan, objections } = judgeCompose(text, settings)
  expect(plan.services.map(({ name }) => name)).toEqual(['web', 'db'])
  expect(plan.routedService).toBe('web')
  expect(objections.map(({ key }) => key)).toEqual(['services.web.privileged', 'services.db.volumes (host path /etc)'])
  for (const { key, reason } of objections) expect(reason).toMatch(new RegExp(`^${key.replaceAll(/[()]/g, '\\$&')} is .*\\.$`))
  expect(plan.notes?.join()).toContain('services.db.logging is ignored')
})

it("names the variables with their defaults, and the missing ones with the file's own messages", () => {
  const text = `
services:
  web:
    image: nginx:\${TAG:-latest}
    environment: { PASSED: , SECRET: '\${SECRET:?choose a long one}', EMPTY: '\${EMPTY:?must not be empty}', SET: '\${SET:?}' }
    labels: { plain: $PLAIN }
  worker: { image: busybox, environment: [ALSO, 'NOT=this'] }
secrets: { token: { environment: TOKEN } }`
  const found = judgeCompose(text, { ...settings, env: { EMPTY: '', SET: 'yes', TOKEN: 'x', TAG: '1' }, port: null })
  expect(found.variables.map(({ name, fallback, isNeeded }) => [name, fallback, isNeeded])).toEqual([
    ['ALSO', null, false],
    ['EMPTY', null, true],
    ['PASSED', null, false],
    ['PLAIN', null, false],
    ['SECRET', null, true],
    ['SET', null, true],
    ['TAG', 'latest', false],
    ['TOKEN', null, false],
  ])
  expect(found.objections.map(({ reason }) => reason)).toEqual([
    "${SECRET} is needed: choose a long one. Add SECRET to the app's environment.",
    "${EMPTY} is needed: must not be empty. Add EMPTY to the app's environment.",
  ])
  expect(() => planCompose(text, { ...settings, env: { TOKEN: 'x', SET: 'yes' }, port: null })).toThrow(/for 2 reasons.*SECRET.*EMPTY/)
})

it('a variable that is missing among thousands is still missing', () => {
  const names = Array.from({ length: 1500 }, (_none, n) => `\${V${n}}`).join(' ')
  const text = `services: { web: { image: nginx, command: "${names} \${LAST:?}" } }`
  expect(() => planCompose(text, settings)).toThrow('LAST')
})

it('a file that cannot be parsed gives one reason, not an error', () => {
  expect(judgeCompose('services: [', settings).objections).toEqual([{ key: 'the file', reason: expect.stringContaining('cannot be read') }])
  expect(judgeCompose('services: { web: { image: "$(" } }', settings).objections[0]?.reason).toContain('Write $$')
  expect(judgeCompose('{}', settings)).toMatchObject({ plan: { services: [] }, objections: [{ key: 'services' }] })
})

it('lists of configs, secrets and tmpfs have the same limit as others', () => {
  const many = (entry: string) => Array.from({ length: 201 }, () => entry)
  const web = { image: 'x', configs: many('c'), secrets: many('c'), tmpfs: many('/tmp/x') }
  const file = { services: { web }, configs: { c: { content: '1' } }, secrets: { c: { content: '1' } } }
  expect(judgeCompose(JSON.stringify(file), settings).objections.map(({ key, reason }) => `${key}: ${reason}`)).toEqual(
    ['configs', 'secrets', 'tmpfs'].map((key) => `services.web.${key}: services.web.${key} has more than 200 entries.`),
  )
})
