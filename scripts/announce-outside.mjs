// A Vitest reporter for errors outside of every test, which fail no test of their own: writes them where `npm test` counts them.
import { writeFileSync } from 'node:fs'

export const OUTSIDE_FILE = 'BERTH_TEST_OUTSIDE_FILE'

export default class AnnounceOutside {
  onTestRunEnd(_modules, errors) {
    const file = process.env[OUTSIDE_FILE]
    if (file !== undefined) writeFileSync(file, JSON.stringify(errors.map(({ name, message }) => `${name ?? 'Error'}: ${message}`)))
  }
}
