// A Vitest reporter that lists skipped tests and the reason: `skip('reason')` in a test says so here.
import path from 'node:path'
import { root } from './lib/paths.mjs'

export default class AnnounceSkipped {
  onTestRunEnd(modules) {
    let long = 0
    for (const module of modules) {
      for (const test of module.children.allTests('skipped')) {
        if (test.tags.includes('long')) {
          long += 1
          continue
        }
        const reason = test.result().note ?? 'its suite skipped itself on this machine'
        console.log(`NOT RUN: ${path.relative(root, module.moduleId)}: ${test.fullName}: ${reason}`)
      }
    }
    if (long > 0) console.log(`LEFT OUT: ${long} long tests. They run with: npx vitest run --tags-filter=long`)
  }
}
