import { expect, it } from 'vitest'
import { SpecRefused } from '../../src/engine/api/errors.ts'
import { appNetworkName, labelsOf, stackContainerName } from '../../src/engine/labels.ts'
import { assertStackAllowed, stackRequest } from '../../src/engine/stack-spec.ts'
import { ACCEPTED, CORPUS, planOf } from './corpus.ts'

it.each(ACCEPTED)('is accepted unchanged: $name', async (file) => {
  const plan = await planOf(file)
  expect(plan.routedService).not.toBeNull()
  for (const service of plan.services) {
    const labels = labelsOf({
      instance: 'abc',
      kind: 'compose',
      projectId: 3,
      appId: 7,
      deploymentId: 1,
      service: service.name,
      replica: 1,
    })
    const name = stackContainerName('abc', 7, { release: '1', service: service.name })
    expect(() => assertStackAllowed(stackRequest({ name, labels, service, network: appNetworkName('abc', 7) }))).not.toThrow()
  }
})

it.each(CORPUS.filter(({ refused }) => refused.length > 0))('is refused with every reason and a fix: $name', async (file) => {
  const refusal = await planOf(file).then(
    () => undefined,
    (cause: unknown) => cause,
  )
  expect(refusal).toBeInstanceOf(SpecRefused)
  const reasons = String((refusal as Error).message).split(/\(\d\) /)
  for (const key of file.refused) {
    const reason = reasons.find((each) => each.includes(`${key} `)) ?? ''
    expect(reason, key).toMatch(/\. (Remove|Commit|Put|Write|Add|Only these are allowed|Publish|Use|Set|Choose)|Remove it/)
  }
})

it('nine of ten are accepted unchanged', () => {
  expect(CORPUS.length).toBeGreaterThanOrEqual(60)
  expect(ACCEPTED.length / CORPUS.length).toBeGreaterThanOrEqual(0.9)
})
