import type { Application, Input } from '@berth/contract'

/** The build settings as form values. */
export function buildValues(app: Application) {
  return {
    builder: app.builder,
    installCommand: app.install_command,
    buildCommand: app.build_command,
    startCommand: app.start_command,
    outputDirectory: app.output_directory,
    releaseCommand: app.release_command,
    buildTarget: app.build_target,
    /** One NAME=VALUE a line. */
    buildArgs: Object.entries(app.build_args)
      .map(([name, value]) => `${name}=${value}`)
      .join('\n'),
    submodules: app.submodules,
    lfs: app.lfs,
  }
}

export type BuildValues = ReturnType<typeof buildValues>

/** A ready image has no builder to choose, and is only sent with the image itself. */
export function buildChange({ builder, buildArgs, ...typed }: BuildValues, isImage: boolean): Partial<Input<'apps.update'>> {
  return { ...typed, buildArgs: argsIn(buildArgs), ...(isImage || builder === 'image' ? {} : { builder }) }
}

/** A line without "=" becomes a name that the check refuses, unless it is one of its own. */
function argsIn(text: string): Record<string, string> {
  const lines = text.split('\n').map((line) => line.trim())
  return Object.fromEntries(
    lines
      .filter((line) => line !== '')
      .map((line) => {
        const at = line.indexOf('=')
        return at === -1 ? [line, ''] : [line.slice(0, at).trim(), line.slice(at + 1)]
      }),
  )
}
