declare const __BERTH_VERSION__: string | undefined
declare const __BERTH_COMMIT__: string | undefined

/** Written in by the build; from the sources there is nothing to tell. */
export const VERSION = typeof __BERTH_VERSION__ === 'string' ? __BERTH_VERSION__ : '0.0.0-dev'
export const COMMIT = typeof __BERTH_COMMIT__ === 'string' ? __BERTH_COMMIT__ : 'unknown'
