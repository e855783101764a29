import type { SourceFile } from '@berth/contract'
import { useRef } from 'react'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { Icon } from '../../components/icon.tsx'
import { Spinner } from '../../components/spinner.tsx'
import type { FormFields } from '../../lib/use-form.ts'
import { placeOfComposeFile, placeOfDockerfile } from './build-place.ts'
import type { NewAppValues } from './new-app-form.ts'
import { PlanFields } from './plan-fields.tsx'
import { usePlannedBuild } from './planned-build.ts'
import { useSourceFiles } from './source-files.ts'

type Props = { projectId: number; form: FormFields<NewAppValues> }

/** The build directory and file, and whether that file exists. */
export function BuildFields({ projectId, form }: Props) {
  const { values, set, field } = form
  const { looking, files, error } = useSourceFiles(projectId, values)
  const isCompose = values.appType === 'compose'
  const kind = isCompose ? 'Compose file' : 'Dockerfile'
  const file = isCompose ? files?.composeFile : files?.dockerfile
  const isDetected = !isCompose && values.dockerfilePath.trim() === '' && file !== undefined && file.state !== 'found'
  const isFound = !isCompose && file?.state === 'found'
  const build = usePlannedBuild(projectId, values, isDetected || isFound)
  const isPlanned = isDetected || (isFound && build.planned?.plan)
  const words = useRef<HTMLDivElement>(null)

  function pick(path: string): void {
    const place = isCompose ? placeOfComposeFile(path) : placeOfDockerfile(path)
    set('rootDirectory', place.rootDirectory)
    set('dockerfilePath', place.dockerfilePath)
    words.current?.focus() // the button that was pressed is about to go
  }

  const isUnknown = isDetected && build.planned?.plan === null
  const choice =
    file && file.state !== 'found' && file.others.length > 0 ? (
      <Others paths={file.others} onPick={pick}>
        {isUnknown
          ? 'There is no Dockerfile in the root directory, and nothing else that tells how to build it. Choose a Dockerfile:'
          : `A ${kind} was found elsewhere. To use one, choose it:`}
      </Others>
    ) : undefined

  return (
    <div>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="Root directory" mono placeholder="Repository root" {...field('rootDirectory')} />
        {!isCompose && <TextField label="Dockerfile" mono placeholder="Dockerfile" {...field('dockerfilePath')} />}
      </div>
      <div ref={words} tabIndex={-1} aria-live="polite" className="mt-1 min-h-5 text-[13px] text-ink-soft">
        {looking && (
          <span className="flex items-center gap-1.5">
            <Spinner /> Looking for a {kind}…
          </span>
        )}
        {error !== undefined && <span className="text-bad">{error}</span>}
        {file && !isPlanned && <FileWords kind={kind} file={file} />}
        {!looking &&
          error === undefined &&
          !file &&
          (isCompose ? 'The directory of the Compose file.' : 'The directory to build. The Dockerfile path is relative to it.')}
      </div>
      {(isDetected || isFound) && <PlanFields form={form} build={build} hasDockerfile={isFound} choice={isUnknown ? choice : undefined} />}
      {!isUnknown && choice}
    </div>
  )
}

function FileWords({ kind, file: { state, path, others, reason } }: { kind: 'Dockerfile' | 'Compose file'; file: SourceFile }) {
  const name = <span className="font-mono break-all">{path}</span>
  if (state === 'found')
    return (
      <span className="flex items-start gap-1.5 text-good">
        <Icon name="check" />
        <span>
          {kind} found{path !== kind && <>: {name}</>}
        </span>
      </span>
    )
  if (state === 'unknown')
    return (
      <span>
        Could not check for a {kind}. {reason}
      </span>
    )
  return (
    <span className="flex items-start gap-1.5 text-warn">
      <Icon name="alert" />
      <span>
        There is no {kind === 'Dockerfile' ? name : `${kind} there`}
        {others.length === 0 && `, and no other ${kind} was found. Add one to the source, or the deployment will fail`}.
      </span>
    </span>
  )
}

function Others({ paths, onPick, children }: { paths: readonly string[]; onPick: (path: string) => void; children: string }) {
  return (
    <fieldset className="mt-2">
      <legend className="mb-1 text-[13px] text-ink-soft">{children}</legend>
      <div className="flex flex-wrap gap-2">
        {paths.map((path) => (
          <Button key={path} className="max-w-full py-1" onClick={() => onPick(path)}>
            <span className="min-w-0 text-left font-mono text-[13px] break-all whitespace-normal">{path}</span>
          </Button>
        ))}
      </div>
    </fieldset>
  )
}
