// How the server is run: by `npm start`, and by the benchmarks, which must measure the same thing.
import path from 'node:path'
import { compileCache, root } from './paths.mjs'

// What each of these saves is measured in docs/decisions/0011-memory.md.
// With a limit V8 collects garbage sooner, instead of letting the heap grow fourfold. The young generation is small: the server allocates
// little, and idle memory matters more than peak throughput. The heap may double between two full collections, which delay requests, and
// one thread of V8 helps with them: with its usual four, nothing is left of two cores for anything else meanwhile.
export const nodeFlags = ['--max-old-space-size=512', '--max-semi-space-size=2', '--heap-growing-percent=100', '--v8-pool-size=1']

export const environment = {
  // From the second start on, compiled code is read from here. This makes the start a quarter shorter.
  NODE_COMPILE_CACHE: compileCache,
  // Lookups by the machine's own resolver hold a thread for as long as a name server is silent: there must still be threads for files and
  // password hashes.
  UV_THREADPOOL_SIZE: '24',
  // Returns memory to the system that only the start needed. One arena is enough: threads other than the main one allocate very little.
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '65536',
  MALLOC_TOP_PAD_: '0',
  // Otherwise the allocator of the password hashes keeps memory in every thread that has computed one.
  MIMALLOC_ARENA_EAGER_COMMIT: '0',
}

export const serverBundle = path.join(root, 'packages/server/dist/main.js')
