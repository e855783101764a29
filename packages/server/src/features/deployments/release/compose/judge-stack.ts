import { type ComposeJudgement, type ComposeSettings, judgeCompose } from '../../../../engine/compose/policy.ts'
import { withRepository } from '../../../../engine/compose/repository.ts'
import { SourceError } from '../../../../git/errors.ts'
import { DeploymentFailure } from '../../run/stage.ts'
import { composeFileIn } from './compose-file.ts'
import { createRepositoryFiles } from './repository-files.ts'

/** The settings used to read a compose file before anything is built from it. */
export type StackInput = Pick<ComposeSettings, 'env' | 'port' | 'endpoints' | 'hasOwnDomain'> & { readonly directory: string }
/** `file` is empty if the text does not come from a repository. */
export type JudgedStack = ComposeJudgement & { readonly file: string }

const PREFIX = 'berth-plan-app-1'

/**
 * Checks compose files by the rules of a deployment and reports everything it finds. Nothing is built or stored, and the engine is not
 * called.
 */
export function createJudgeStack({ reservedPorts }: { reservedPorts: () => Promise<readonly number[]> }) {
  const settingsOf = async (input: StackInput) => ({
    ...input,
    volumePrefix: PREFIX,
    reservedPorts: await reservedPorts(),
    newImageName: () => '',
  })

  async function ofCheckout(workspace: string, input: StackInput, signal: AbortSignal): Promise<JudgedStack> {
    try {
      const { name, text } = await composeFileIn(workspace, input.directory)
      const { read } = createRepositoryFiles(workspace, signal)
      const settings = await settingsOf(input)
      return { file: name, ...(await withRepository((access) => judgeCompose(text, { ...settings, ...access }), read)) }
    } catch (cause) {
      if (!(cause instanceof DeploymentFailure) && !(cause instanceof SourceError)) throw cause
      const plan = { services: [], builds: [], routedService: null }
      return { file: '', plan, objections: [{ key: 'the file', reason: cause.message }], variables: [] }
    }
  }

  return {
    ofCheckout,
    ofText: async (text: string, input: StackInput): Promise<JudgedStack> => ({
      file: '',
      ...judgeCompose(text, { ...(await settingsOf(input)), standsAlone: true }),
    }),
  }
}

export type JudgeStack = ReturnType<typeof createJudgeStack>
