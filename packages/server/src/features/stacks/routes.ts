import type { Handlers } from '../../http/implement.ts'
import type { Containers } from '../containers/service.ts'
import type { PortSwitches } from '../ports/switches.ts'
import type { ComposeFiles } from './compose-file.ts'
import type { PlanStack } from './plan-stack.ts'
import type { GetRunningFile } from './running-file.ts'
import type { ListServices } from './services.ts'

export type Stacks = { services: ListServices; runningFile: GetRunningFile }

type Parts = {
  portSwitches: PortSwitches
  stacks: Stacks
  planStack: PlanStack
  composeFiles: ComposeFiles
  containers: Pick<Containers, 'apply'>
}

export function stackHandlers({ stacks, planStack, composeFiles, containers, portSwitches }: Parts) {
  return {
    'stacks.ports': async ({ app }) => await portSwitches.list(app),
    'stacks.openPort': async ({ caller, app, input }) => await portSwitches.open(caller, app, input),
    'stacks.closePort': async ({ caller, app, input }) => await portSwitches.close(caller, app, input),
    'stacks.plan': async ({ caller, app, input }) => await planStack.ofApp(caller, app, input),
    'stacks.running': async ({ app }) => await stacks.runningFile(app),
    'stacks.file': async ({ app }) => await composeFiles.get(app),
    'stacks.setFile': async ({ caller, app, input }) => await composeFiles.set(caller, app, input.composeFile),
    'stacks.planNew': async ({ caller, project, input }) => await planStack.ofNew(caller, project.id, input),
    'stacks.services': async ({ caller, app }) => await stacks.services(caller, app),
    'stacks.startService': async ({ caller, app, again, input: { service } }) => {
      await containers.apply({ caller, app, again }, { verb: 'start', service })
      return { message: `Service ${service} started` }
    },
    'stacks.stopService': async ({ caller, app, again, input: { service } }) => {
      await containers.apply({ caller, app, again }, { verb: 'stop', service })
      return { message: `Service ${service} stopped` }
    },
    'stacks.restartService': async ({ caller, app, again, input: { service } }) => {
      await containers.apply({ caller, app, again }, { verb: 'restart', service })
      return { message: `Service ${service} restarted` }
    },
  } satisfies Partial<Handlers>
}
