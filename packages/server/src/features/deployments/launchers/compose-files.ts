import { access, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ComposePlan } from '../../../engine/compose-policy.ts'

const FILE = 'plan.json'

/** The validated plan of a release, kept with it: environment values are in it, so it is ours alone. */
export async function keepPlan(directory: string, plan: ComposePlan): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await writeFile(join(directory, FILE), JSON.stringify(plan), { mode: 0o600 })
}

export async function hasPlan(directory: string): Promise<boolean> {
  return await access(join(directory, FILE)).then(
    () => true,
    () => false,
  )
}

/** The plan of an earlier release, carrying the label of the deployment that runs it now. */
export async function keptPlan(directory: string, label: { name: string; value: string }): Promise<ComposePlan> {
  const plan = JSON.parse(await readFile(join(directory, FILE), 'utf8')) as ComposePlan // written by keepPlan alone
  const model = JSON.parse(plan.file) as { services: Record<string, { labels?: Record<string, string> }> } // written by planCompose alone
  for (const service of Object.values(model.services)) service.labels = { ...service.labels, [label.name]: label.value }
  return { ...plan, file: `${JSON.stringify(model, null, 2)}\n` }
}
