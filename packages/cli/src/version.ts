declare const __BERTH_VERSION__: string | undefined

/** Set by the build. */
export const VERSION = typeof __BERTH_VERSION__ === 'string' ? __BERTH_VERSION__ : '0.0.0-dev'
