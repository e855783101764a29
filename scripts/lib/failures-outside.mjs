/**
 * How many failures of these runs of Vitest are not failures of a test: errors outside of every test, and a run that failed or ended without
 * saying why. A second run of some files takes nothing back of the first.
 */
export function failuresOutside(runs) {
  return runs.reduce((sum, { exitCode, files, outside }) => {
    const isSaid = outside.length > 0 || files.some(({ failures }) => failures.length > 0)
    return sum + outside.length + (files.length === 0 || (exitCode !== 0 && !isSaid) ? 1 : 0)
  }, 0)
}
