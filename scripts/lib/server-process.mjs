// How the server is run: by `npm start`, and by the benchmarks, which must measure the same thing.
import path from 'node:path'
import { compileCache, root } from './paths.mjs'

// What each of these saves is measured in docs/decisions/0011-memory.md.
// With a limit in sight V8 cleans up sooner instead of letting the heap grow fourfold. The young generation is kept small: the server
// allocates little, and idle memory counts more than peak throughput.
export const nodeFlags = ['--max-old-space-size=512', '--max-semi-space-size=2']

// From the second start on, code comes compiled from here, which takes a quarter off the start.
export const environment = {
  NODE_COMPILE_CACHE: compileCache,
  // A DNS lookup holds a thread for as long as its name server is silent, and up to sixteen run for requests at once: there must still be
  // threads for files and password hashes.
  UV_THREADPOOL_SIZE: '24',
  // Memory that only the start needed goes back to the system. One arena for all threads, because the others allocate next to nothing.
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '65536',
  MALLOC_TOP_PAD_: '0',
  // Otherwise the allocator of the password hashes keeps its memory in every thread that ever ran one.
  MIMALLOC_ARENA_EAGER_COMMIT: '0',
}

export const serverBundle = path.join(root, 'packages/server/dist/main.js')
