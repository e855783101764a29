import { BuildProblem, nameIn, type Project } from '../project.ts'
import { dependsOn, type PackageJson, scriptOf } from './package-json.ts'

/** What a framework's build produces: static files, or a program. */
export type Target =
  | { readonly makes: 'files'; readonly output: string; readonly isSinglePage: boolean }
  | {
      readonly makes: 'program'
      readonly start: string
      readonly env?: Readonly<Record<string, string>>
      /** The directory with everything that the Next.js server needs. */
      readonly standalone?: true
    }
  /** Only its name is detected: package.json says how it starts. */
  | { readonly makes: 'whatever start runs' }

export type Framework = { readonly name: string; readonly dependency: string; targetOf(project: Project, json: PackageJson): Target }

const CONFIGS = {
  next: /^next\.config\.[cm]?[jt]s$/,
  svelte: /^svelte\.config\.[cm]?[jt]s$/,
  astro: /^astro\.config\.[cm]?[jt]s$/,
  vite: /^vite\.config\.[cm]?[jt]s$/,
  'react-router': /^react-router\.config\.[cm]?[jt]s$/,
} as const
const files = (output: string, isSinglePage = false): Target => ({ makes: 'files', output, isSinglePage })
const anything: Target = { makes: 'whatever start runs' }

function configOf(project: Project, name: keyof typeof CONFIGS): string {
  const [file] = project.matching(CONFIGS[name])
  return file === undefined ? '' : withoutComments(project.read(file))
}

/** Lines that start with a comment. Comments after code are rare in the settings that matter here. */
function withoutComments(text: string): string {
  return text
    .split('\n')
    .filter((line) => !/^\s{0,200}(?:\/\/|\*|\/\*)/.test(line))
    .join('\n')
}

function next(project: Project): Target {
  const config = configOf(project, 'next')
  if (/\boutput\s{0,20}:\s{0,20}['"]export['"]/.test(config)) return files('out')
  if (/\boutput\s{0,20}:\s{0,20}['"]standalone['"]/.test(config))
    return { makes: 'program', start: 'node server.js', env: { HOSTNAME: '0.0.0.0' }, standalone: true }
  return { makes: 'program', start: 'next start' }
}

function nuxt(_project: Project, json: PackageJson): Target {
  if (/\bnuxt(?:i)? generate\b/.test(scriptOf(json, 'build'))) return files('.output/public')
  return { makes: 'program', start: 'node .output/server/index.mjs', env: { HOST: '0.0.0.0' } }
}

function svelteKit(project: Project, json: PackageJson): Target {
  if (dependsOn(json, '@sveltejs/adapter-node')) return { makes: 'program', start: 'node build' }
  if (dependsOn(json, '@sveltejs/adapter-static')) return files('build', /fallback\s{0,20}:/.test(configOf(project, 'svelte')))
  throw new BuildProblem(
    `${nameIn(project, 'package.json')} uses SvelteKit without an adapter that can be deployed. Install @sveltejs/adapter-node (or @sveltejs/adapter-static for a static site) and use it in svelte.config.js, then deploy again.`,
  )
}

function reactRouter(project: Project, json: PackageJson): Target {
  if (/\bssr\s{0,20}:\s{0,20}false/.test(configOf(project, 'react-router'))) return files('build/client', true)
  if (scriptOf(json, 'start') !== '') return anything
  const serve = dependsOn(json, '@remix-run/serve') ? 'remix-serve' : 'react-router-serve'
  return { makes: 'program', start: `${serve} ./build/server/index.js` }
}

function astro(project: Project, json: PackageJson): Target {
  if (!dependsOn(json, '@astrojs/node')) return files('dist')
  const isMiddleware = /\bmode\s{0,20}:\s{0,20}['"]middleware['"]/.test(configOf(project, 'astro'))
  if (isMiddleware && scriptOf(json, 'start') !== '') return anything
  return { makes: 'program', start: 'node ./dist/server/entry.mjs', env: { HOST: '0.0.0.0' } }
}

function vite(project: Project, json: PackageJson): Target {
  const start = scriptOf(json, 'start')
  if (start !== '' && !isDevelopmentServer(start)) return anything
  const output = /\boutDir\s{0,20}:\s{0,20}['"]([A-Za-z0-9_./-]{1,100})['"]/.exec(configOf(project, 'vite'))?.[1]
  return files(output?.replace(/^\.\//, '') ?? 'dist', true)
}

function angular(project: Project): Target {
  const text = project.read('angular.json')
  const output = /"outputPath"\s{0,20}:\s{0,20}"([^"\n]{1,200})"/.exec(text)?.[1]
  const name = /"projects"\s{0,20}:\s{0,20}\{\s{0,200}"([^"\n]{1,100})"/.exec(text)?.[1] ?? 'app'
  const isNew = text.includes(':application"')
  return files(`${output ?? `dist/${name}`}${isNew ? '/browser' : ''}`, true)
}

const server = (name: string, dependency: string): Framework => ({ name, dependency, targetOf: () => anything })
const site = (name: string, dependency: string, output: string, isSinglePage = false): Framework => ({
  name,
  dependency,
  targetOf: (_project, json) => (isRunScript(json) ? anything : files(output, isSinglePage)),
})

/** A start script that is not the framework's own development server. */
function isRunScript(json: PackageJson): boolean {
  const start = scriptOf(json, 'start')
  return start !== '' && !isDevelopmentServer(start)
}

function nest(_project: Project, json: PackageJson): Target {
  const production = scriptOf(json, 'start:prod')
  return { makes: 'program', start: production === '' ? 'node dist/main' : production }
}

/** LIST of the known frameworks, the more specific ones first. */
const FRAMEWORKS: readonly Framework[] = [
  { name: 'Next.js', dependency: 'next', targetOf: next },
  { name: 'Nuxt', dependency: 'nuxt', targetOf: nuxt },
  { name: 'SvelteKit', dependency: '@sveltejs/kit', targetOf: svelteKit },
  { name: 'React Router', dependency: '@react-router/dev', targetOf: reactRouter },
  { name: 'Remix', dependency: '@remix-run/dev', targetOf: reactRouter },
  { name: 'Astro', dependency: 'astro', targetOf: astro },
  { name: 'NestJS', dependency: '@nestjs/core', targetOf: nest },
  { name: 'Angular', dependency: '@angular/core', targetOf: angular },
  site('Docusaurus', '@docusaurus/core', 'build'),
  site('VitePress', 'vitepress', '.vitepress/dist'),
  site('Gatsby', 'gatsby', 'public'),
  site('Eleventy', '@11ty/eleventy', '_site'),
  site('Create React App', 'react-scripts', 'build', true),
  site('Vue CLI', '@vue/cli-service', 'dist', true),
  server('Fastify', 'fastify'),
  server('Express', 'express'),
  server('Koa', 'koa'),
  server('Hono', 'hono'),
  server('Hapi', '@hapi/hapi'),
  { name: 'Vite', dependency: 'vite', targetOf: vite },
  site('Parcel', 'parcel', 'dist', true),
]

export function frameworkOf(json: PackageJson): Framework | undefined {
  return FRAMEWORKS.find(({ dependency }) => dependsOn(json, dependency))
}

const DEVELOPMENT = [
  'vite',
  'vite dev',
  'vite serve',
  'vite preview',
  'react-scripts start',
  'vue-cli-service serve',
  'ng serve',
  'ng s',
  'gatsby develop',
  'gatsby serve',
  'docusaurus start',
  'docusaurus serve',
  'vitepress dev',
  'eleventy --serve',
  'parcel',
  'webpack serve',
  'webpack-dev-server',
  'astro dev',
  'astro preview',
  'next dev',
  'nuxt dev',
]

/** Development servers, which are not meant for visitors. */
function isDevelopmentServer(script: string): boolean {
  const text = script.trim()
  return DEVELOPMENT.some(
    (command) => text === command || text.startsWith(`${command} -`) || (command.includes(' ') && text.startsWith(`${command} `)),
  )
}
