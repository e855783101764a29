import { json } from './project-row.ts'

type Packages = Readonly<Record<string, string>>

/** What makes a row of the table a project that builds, and what a visitor of it is answered. */
export type BuiltProject = {
  /** Files beside those of the row, or in their place. */
  readonly adds?: Readonly<Record<string, string>>
  /** Beside those in the package.json of the row. */
  readonly dependencies?: Packages
  readonly devDependencies?: Packages
  /** In place of fields of the package.json of the row. */
  readonly package?: object
  /** In place of commands of the row's settings. */
  readonly settings?: { readonly buildCommand?: string }
  readonly path?: string
  readonly answers: string
}

const server = (text: string) => `require('node:http').createServer((_, answer) => answer.end('${text}')).listen(process.env.PORT)\n`
const page = (text: string) => `export default function Page() { return <p>${text}</p> }\n`
const REACT = { react: '19.1.0', 'react-dom': '19.1.0' }
const MODULE = { type: 'module', private: true }
const VITE_CONFIG = 'export default { build: { outDir: "dist" } }\n'

const svelteKit = (adapter: string) => ({
  'svelte.config.js': `import adapter from '@sveltejs/${adapter}'\nexport default { kit: { adapter: adapter(${adapter === 'adapter-static' ? "{ fallback: '200.html' }" : ''}) } }\n`,
  'vite.config.js': "import { sveltekit } from '@sveltejs/kit/vite'\nexport default { plugins: [sveltekit()] }\n",
  'src/app.html': '<!doctype html><html><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>\n',
  'src/routes/+layout.js': `export const prerender = ${adapter === 'adapter-static'}\n`,
  'src/routes/+page.svelte': '<p>a page of SvelteKit</p>\n',
})
const SVELTE = { svelte: '5', '@sveltejs/vite-plugin-svelte': '5' }

const ROUTER_FILES = {
  'vite.config.js': "import { reactRouter } from '@react-router/dev/vite'\nexport default { plugins: [reactRouter()] }\n",
  'app/root.jsx': `import { Outlet, Scripts } from 'react-router'
export function Layout({ children }) { return <html lang="en"><head><title>a page of React Router</title></head><body>{children}<Scripts /></body></html> }
export default function Root() { return <Outlet /> }
export function HydrateFallback() { return <p>loading</p> }
`,
  'app/routes.js': "import { index } from '@react-router/dev/routes'\nexport default [index('home.jsx')]\n",
  'app/home.jsx': page('home'),
}
const ROUTER = { ...REACT, 'react-router': '7.6.0', '@react-router/node': '7.6.0', '@react-router/serve': '7.6.0', isbot: '5' }
const ROUTER_TOOLS = { '@react-router/dev': '7.6.0', vite: '6.3.5' }

/** LIST of the rows that are built for real, deployed and visited. The other ones are named in `NOT_BUILT`, with the reason. */
export const BUILT: Readonly<Record<string, BuiltProject>> = {
  'express-npm': {
    adds: { 'server.js': "require('express')().get('/', (_, answer) => answer.send('express')).listen(process.env.PORT)\n" },
    answers: 'express',
  },
  'fastify-pnpm': {
    adds: {
      'app.js':
        "const app = require('fastify')()\napp.get('/', async () => 'fastify')\napp.listen({ host: '0.0.0.0', port: Number(process.env.PORT) })\n",
    },
    answers: 'fastify',
  },
  'koa-yarn-classic': {
    adds: {
      'index.js': "const app = new (require('koa'))()\napp.use((context) => { context.body = 'koa' })\napp.listen(process.env.PORT)\n",
    },
    answers: 'koa',
  },
  'hono-bun': {
    adds: {
      'src/index.ts':
        "import { Hono } from 'hono'\nconst app = new Hono().get('/', (context) => context.text('hono'))\nexport default { port: Number(process.env.PORT), fetch: app.fetch }\n",
    },
    answers: 'hono',
  },
  'plain-without-lock': { adds: { 'index.js': server('plain') }, answers: 'plain' },
  'start-runs-another-script': {
    adds: {
      'migrate.js': "require('node:fs').writeFileSync('/tmp/migrated', 'migrated first')\n",
      'dist/main.js':
        "const text = require('node:fs').readFileSync('/tmp/migrated')\nrequire('node:http').createServer((_, answer) => answer.end(text)).listen(process.env.PORT)\n",
    },
    answers: 'migrated first',
  },
  'nest-npm': {
    dependencies: { '@nestjs/common': '11', '@nestjs/platform-express': '11', 'reflect-metadata': '0.2', rxjs: '7' },
    devDependencies: { '@nestjs/cli': '11', typescript: '5.8', '@types/node': '24' },
    adds: {
      'tsconfig.json': json({
        compilerOptions: {
          module: 'commonjs',
          target: 'es2022',
          outDir: 'dist',
          rootDir: 'src',
          experimentalDecorators: true,
          emitDecoratorMetadata: true,
        },
        include: ['src'],
      }),
      'nest-cli.json': json({ sourceRoot: 'src' }),
      'src/main.ts': `import { Controller, Get, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
@Controller() class Home { @Get() home() { return 'nest' } }
@Module({ controllers: [Home] }) class AppModule {}
void NestFactory.create(AppModule).then((app) => app.listen(Number(process.env.PORT)))
`,
    },
    answers: 'nest',
  },
  'next-pnpm': {
    dependencies: { 'react-dom': '19.0.0' },
    package: { packageManager: 'pnpm@9.15.4' },
    adds: { 'pages/index.jsx': page('a page of Next.js 15') },
    answers: 'a page of Next.js 15',
  },
  'next-standalone': {
    dependencies: REACT,
    devDependencies: { typescript: '5.8', '@types/node': '24', '@types/react': '19' },
    adds: { 'pages/index.jsx': page('a page of Next.js 16') },
    answers: 'a page of Next.js 16',
  },
  'next-export': {
    dependencies: { react: '18', 'react-dom': '18' },
    adds: { 'pages/index.jsx': page('an exported page') },
    answers: 'an exported page',
  },
  nuxt: { package: MODULE, adds: { 'app/app.vue': '<template><p>a page of Nuxt</p></template>\n' }, answers: 'a page of Nuxt' },
  'sveltekit-node': { package: MODULE, devDependencies: SVELTE, adds: svelteKit('adapter-node'), answers: 'a page of SvelteKit' },
  'sveltekit-static': { package: MODULE, devDependencies: SVELTE, adds: svelteKit('adapter-static'), answers: 'a page of SvelteKit' },
  'react-router': {
    package: MODULE,
    dependencies: ROUTER,
    devDependencies: ROUTER_TOOLS,
    adds: ROUTER_FILES,
    answers: 'a page of React Router',
  },
  'react-router-spa': {
    package: MODULE,
    dependencies: ROUTER,
    devDependencies: ROUTER_TOOLS,
    adds: ROUTER_FILES,
    path: '/any/page',
    answers: 'a page of React Router',
  },
  remix: {
    package: { ...MODULE, scripts: { build: 'remix vite:build' } },
    dependencies: { '@remix-run/node': '2', '@remix-run/react': '2', react: '18', 'react-dom': '18', isbot: '5' },
    devDependencies: { vite: '5' },
    adds: {
      'vite.config.js': "import { vitePlugin as remix } from '@remix-run/dev'\nexport default { plugins: [remix()] }\n",
      'app/root.jsx':
        'import { Outlet } from \'@remix-run/react\'\nexport default function Root() { return <html lang="en"><body><Outlet /></body></html> }\n',
      'app/routes/_index.jsx': page('a page of Remix'),
    },
    answers: 'a page of Remix',
  },
  'astro-static': { adds: { 'src/pages/index.astro': '<p>a page of Astro</p>\n' }, answers: 'a page of Astro' },
  'astro-node': {
    adds: {
      'astro.config.mjs': "import node from '@astrojs/node'\nexport default { output: 'server', adapter: node({ mode: 'standalone' }) }\n",
      'src/pages/index.astro': '<p>a page made for each visitor</p>\n',
    },
    answers: 'a page made for each visitor',
  },
  'vite-spa': {
    adds: { 'index.html': '<p>a page of Vite</p><script type="module" src="/main.js"></script>', 'main.js': 'console.log(1)\n' },
    path: '/any/page',
    answers: 'a page of Vite',
  },
  eleventy: { devDependencies: { '@11ty/eleventy': '3.0.0' }, adds: { 'index.md': 'a page of Eleventy\n' }, answers: 'a page of Eleventy' },
  'workspace-turbo': {
    adds: {
      'turbo.json': json({ tasks: { build: {} } }),
      'apps/web/package.json': json({
        name: '@shop/web',
        scripts: { build: 'next build', start: 'next start' },
        dependencies: { next: '15.1.0', ...REACT, '@shop/ui': 'workspace:*' },
      }),
      'apps/web/pages/index.jsx': "import { text } from '@shop/ui'\nexport default function Page() { return <p>{text}</p> }\n",
      'packages/ui/package.json': json({ name: '@shop/ui', version: '1.0.0', main: 'index.js' }),
      'packages/ui/index.js': "exports.text = 'a page of two packages'\n",
    },
    answers: 'a page of two packages',
  },
  'workspace-nx-site': {
    adds: {
      'nx.json': json({ neverConnectToCloud: true }),
      'apps/site/index.html': '<p>a site of a workspace</p>',
      'apps/site/vite.config.js': VITE_CONFIG,
    },
    answers: 'a site of a workspace',
  },
  'workspace-npm': {
    adds: {
      'server/package.json': json({
        name: 'server',
        version: '1.0.0',
        scripts: { build: 'tsc', start: 'node dist/index.js' },
        dependencies: { shared: '1.0.0' },
        devDependencies: { typescript: '5.8', '@types/node': '24' },
      }),
      'server/tsconfig.json': json({
        compilerOptions: { module: 'commonjs', outDir: 'dist', rootDir: 'src', types: ['node'] },
        include: ['src'],
      }),
      'server/src/index.ts':
        "const { text } = require('shared')\nrequire('node:http').createServer((_: unknown, answer: { end(text: string): void }) => answer.end(text)).listen(process.env['PORT'])\n",
      'shared/package.json': json({ name: 'shared', version: '1.0.0', main: 'index.js' }),
      'shared/index.js': "exports.text = 'a workspace of npm'\n",
    },
    answers: 'a workspace of npm',
  },
  'settings-decide': {
    settings: { buildCommand: 'cp b.txt c.js' },
    adds: { 'b.txt': server('as the settings say') },
    answers: 'as the settings say',
  },
  'berth-json-decides': { adds: { 'd.js': server('as berth.json says') }, answers: 'as berth.json says' },
  'static-files': { path: '/blog/one', adds: { 'posts/one.html': 'a page by another address' }, answers: 'a page by another address' },
  'static-public': { adds: { 'public/index.html': 'a public page' }, answers: 'a public page' },
  'static-builder': { adds: { 'docs/site/index.html': 'a page of the docs' }, answers: 'a page of the docs' },
}

const NO_BASE = 'no base image of it is made for the tests'
/** LIST of the rows that are detected, and checked by the parser of Dockerfiles, but not built by the tests. */
export const NOT_BUILT: Readonly<Record<string, string>> = {
  'create-react-app': 'no longer maintained, and takes minutes to install',
  angular: 'takes minutes to install and build',
  'prisma-needs-everything': 'its engine is downloaded from a server of its own',
  ...Object.fromEntries(
    [
      'django-pip',
      'django-poetry',
      'fastapi-uv',
      'flask-pipenv',
      'python-script',
      'go-main',
      'go-cmd',
      'rails',
      'rack',
      'laravel',
      'php-plain',
    ]
      .concat('rust', 'spring-maven', 'gradle', 'aspnet', 'phoenix', 'deno')
      .map((name) => [name, NO_BASE]),
  ),
}
