// How the server is run: by `npm start`, and by the benchmarks, which must measure the same thing.
import path from 'node:path'
import { compileCache, root } from './paths.mjs'

// The young generation is kept small: the server allocates little, and idle memory counts more than peak throughput.
// Code must be used more before it is optimised: a server that idles then never loads the optimising compilers (measured, 5 MB),
// and under load the counts are reached within a second.
// With a limit in sight V8 cleans up sooner instead of letting the heap grow fourfold: measured, 60 MB off while twenty clients read a long log.
export const nodeFlags = [
  '--max-old-space-size=512',
  '--max-semi-space-size=2',
  '--invocation-count-for-maglev=4000',
  '--invocation-count-for-turbofan=12000',
]

// From the second start on, code comes compiled from here: measured, a quarter off the start and 7 MB off the idle memory.
export const environment = {
  NODE_COMPILE_CACHE: compileCache,
  // A look-up of a host name holds a thread for as long as its name server is silent, and up to sixteen run for requests at once: files and
  // password hashes must find a thread all the same.
  UV_THREADPOOL_SIZE: '24',
  // What the start needed once goes back to the system instead of waiting for a next time: measured, 7 MB. One arena for all
  // threads, because the others allocate next to nothing.
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '65536',
  MALLOC_TOP_PAD_: '0',
  // The allocator of the password hashes keeps what it had, in every thread that ever ran one: measured, 50 MB after twenty logins.
  MIMALLOC_ARENA_EAGER_COMMIT: '0',
}

export const serverBundle = path.join(root, 'packages/server/dist/main.js')
