declare const __BERTH_VERSION__: string | undefined
declare const __BERTH_COMMIT__: string | undefined

/** Set by the build; unknown when run from source. */
export const VERSION = typeof __BERTH_VERSION__ === 'string' ? __BERTH_VERSION__ : '0.0.0-dev'
export const COMMIT = typeof __BERTH_COMMIT__ === 'string' ? __BERTH_COMMIT__ : 'unknown'
