import { json, LOCK, type ProjectRow } from './project-row.ts'

const build = { build: 'vite build' }

/** Projects of Node.js: frameworks, package managers, workspaces, and what is wrong with some. */
export const NODE_PROJECTS = {
  'express-npm': {
    files: {
      'package.json': json({ scripts: { start: 'node server.js' }, dependencies: { express: '^5.0.0' } }),
      ...LOCK,
      'server.js': '',
    },
    title: 'Express 5, npm, Node.js 24',
    start: 'node server.js',
  },
  'fastify-pnpm': {
    files: {
      'package.json': json({ main: 'app.js', dependencies: { fastify: '5' }, engines: { node: '>=20 <23' } }),
      'pnpm-lock.yaml': "lockfileVersion: '9.0'\n",
      'app.js': '',
    },
    title: 'Fastify 5, pnpm, Node.js 22',
    start: 'node app.js',
  },
  'koa-yarn-classic': {
    files: {
      'package.json': json({ scripts: { start: 'NODE_ENV=production node index.js' }, dependencies: { koa: '2' } }),
      'yarn.lock': '# yarn lockfile v1\n',
      '.nvmrc': 'v20.11.1\n',
    },
    title: 'Koa 2, yarn, Node.js 20.11.1',
    start: 'NODE_ENV=production node index.js',
  },
  'hono-bun': {
    files: { 'package.json': json({ scripts: { start: 'bun run src/index.ts' }, dependencies: { hono: '4' } }), 'bun.lock': '{}' },
    title: 'Hono 4, bun, Node.js 24',
    start: 'bun run src/index.ts',
  },
  'plain-without-lock': {
    files: { 'package.json': json({ name: 'plain' }), 'index.js': '' },
    title: 'npm, Node.js 24',
    start: 'node index.js',
  },
  'start-runs-another-script': {
    files: {
      'package.json': json({
        scripts: { prestart: 'node migrate.js', start: 'npm run serve', serve: 'node --enable-source-maps dist/main.js' },
      }),
      ...LOCK,
    },
    title: 'npm, Node.js 24',
    start: 'node migrate.js && node --enable-source-maps dist/main.js',
  },
  'nest-npm': {
    files: {
      'package.json': json({
        scripts: { build: 'nest build', start: 'nest start', 'start:prod': 'node dist/main' },
        dependencies: { '@nestjs/core': '^11.0.1', express: '5' },
      }),
      ...LOCK,
    },
    title: 'NestJS 11, npm, Node.js 24',
    start: 'node dist/main',
  },
  'next-pnpm': {
    files: {
      'package.json': json({
        packageManager: 'pnpm@9.15.4+sha512.abc',
        scripts: { build: 'next build', start: 'next start' },
        dependencies: { next: '15.1.0', react: '19.0.0' },
        engines: { node: '^22' },
      }),
      'pnpm-lock.yaml': '',
      'next.config.mjs': 'export default {}',
    },
    title: 'Next.js 15, pnpm, Node.js 22',
    start: 'next start',
  },
  'next-standalone': {
    files: {
      'package.json': json({ scripts: { build: 'next build' }, dependencies: { next: '^16' } }),
      ...LOCK,
      'next.config.ts': "const config = {\n  // output: 'export',\n  output: 'standalone',\n}\nexport default config\n",
      'public/robots.txt': '',
    },
    title: 'Next.js 16, npm, Node.js 24',
    start: 'node server.js',
  },
  'next-export': {
    files: {
      'package.json': json({ scripts: { build: 'next build' }, dependencies: { next: '14' } }),
      ...LOCK,
      'next.config.js': "module.exports = { output: 'export' }",
    },
    title: 'Next.js 14, npm, Node.js 24',
    output: 'out',
  },
  nuxt: {
    files: { 'package.json': json({ scripts: { build: 'nuxt build' }, dependencies: { nuxt: '^4' } }), ...LOCK },
    title: 'Nuxt 4, npm, Node.js 24',
    start: 'node .output/server/index.mjs',
  },
  'sveltekit-node': {
    files: {
      'package.json': json({ scripts: build, devDependencies: { '@sveltejs/kit': '2', '@sveltejs/adapter-node': '5', vite: '6' } }),
      ...LOCK,
    },
    title: 'SvelteKit 2, npm, Node.js 24',
    start: 'node build',
  },
  'sveltekit-static': {
    files: {
      'package.json': json({ scripts: build, devDependencies: { '@sveltejs/kit': '2', '@sveltejs/adapter-static': '3', vite: '6' } }),
      ...LOCK,
      'svelte.config.js': "export default { kit: { adapter: adapter({ fallback: '200.html' }) } }",
    },
    title: 'SvelteKit 2, npm, Node.js 24',
    output: 'build',
  },
  'react-router': {
    files: {
      'package.json': json({
        scripts: { build: 'react-router build', start: 'react-router-serve ./build/server/index.js' },
        devDependencies: { '@react-router/dev': '7', vite: '6' },
      }),
      ...LOCK,
    },
    title: 'React Router 7, npm, Node.js 24',
    start: 'react-router-serve ./build/server/index.js',
  },
  'react-router-spa': {
    files: {
      'package.json': json({ scripts: { build: 'react-router build' }, devDependencies: { '@react-router/dev': '7' } }),
      ...LOCK,
      'react-router.config.ts': 'export default { ssr: false }',
    },
    title: 'React Router 7, npm, Node.js 24',
    output: 'build/client',
  },
  remix: {
    files: {
      'package.json': json({
        scripts: { build: 'remix build' },
        dependencies: { '@remix-run/serve': '2' },
        devDependencies: { '@remix-run/dev': '2' },
      }),
      ...LOCK,
    },
    title: 'Remix 2, npm, Node.js 24',
    start: 'remix-serve ./build/server/index.js',
  },
  'astro-static': {
    files: { 'package.json': json({ scripts: { build: 'astro build', start: 'astro dev' }, dependencies: { astro: '5' } }), ...LOCK },
    title: 'Astro 5, npm, Node.js 24',
    output: 'dist',
  },
  'astro-node': {
    files: { 'package.json': json({ scripts: { build: 'astro build' }, dependencies: { astro: '5', '@astrojs/node': '9' } }), ...LOCK },
    title: 'Astro 5, npm, Node.js 24',
    start: 'node ./dist/server/entry.mjs',
  },
  'vite-spa': {
    files: {
      'package.json': json({ scripts: { ...build, start: 'vite --host' }, devDependencies: { vite: '^7.0.0' } }),
      ...LOCK,
      'vite.config.ts': "export default { build: { outDir: './site' } }",
      'public/_redirects': '/old/* /new/:splat 302\n/api/* https://api.example.com/:splat 307!\n',
      'public/_headers': '/*\n  X-Frame-Options: DENY\n',
    },
    buildArgs: ['VITE_API_URL'],
    title: 'Vite 7, npm, Node.js 24',
    output: 'site',
  },
  'create-react-app': {
    files: {
      'package.json': json({
        scripts: { build: 'react-scripts build', start: 'react-scripts start' },
        dependencies: { 'react-scripts': '5.0.1' },
      }),
      'yarn.lock': '__metadata:\n  version: 8\n',
      '.yarnrc.yml': 'nodeLinker: node-modules\n',
    },
    title: 'Create React App 5, yarn (berry), Node.js 24',
    output: 'build',
  },
  angular: {
    files: {
      'package.json': json({ scripts: { build: 'ng build', start: 'ng serve' }, dependencies: { '@angular/core': '^19' } }),
      ...LOCK,
      'angular.json': json({ projects: { shop: { architect: { build: { builder: '@angular-devkit/build-angular:application' } } } } }),
    },
    title: 'Angular 19, npm, Node.js 24',
    output: 'dist/shop/browser',
  },
  eleventy: {
    files: { 'package.json': json({ scripts: { build: 'eleventy' }, devDependencies: { '@11ty/eleventy': '3' } }), ...LOCK },
    title: 'Eleventy 3, npm, Node.js 24',
    output: '_site',
  },
  'prisma-needs-everything': {
    files: {
      'package.json': json({ scripts: { postinstall: 'prisma generate', start: 'node server.js' }, dependencies: { express: '4' } }),
      ...LOCK,
      'prisma/schema.prisma': '',
    },
    title: 'Express 4, npm, Node.js 24',
    start: 'node server.js',
  },
  'workspace-turbo': {
    root: 'apps/web',
    files: {
      'package.json': json({ packageManager: 'pnpm@10.2.0', devDependencies: { turbo: '2' }, engines: { node: '22.x' } }),
      'pnpm-workspace.yaml': 'packages:\n  - apps/*\n  - packages/*\n',
      'pnpm-lock.yaml': "lockfileVersion: '9.0'\n",
      'turbo.json': '{}',
      'apps/web/package.json': json({
        name: '@shop/web',
        scripts: { build: 'next build', start: 'next start' },
        dependencies: { next: '15' },
      }),
      'packages/ui/package.json': json({ name: '@shop/ui' }),
    },
    title: 'Next.js 15, pnpm, Node.js 22',
    start: 'next start',
  },
  'workspace-nx-site': {
    root: 'apps/site',
    files: {
      'package.json': json({ workspaces: ['apps/*'], devDependencies: { nx: '20' } }),
      ...LOCK,
      'nx.json': '{}',
      'apps/site/package.json': json({ name: 'site', scripts: build, devDependencies: { vite: '6' } }),
    },
    title: 'Vite 6, npm, Node.js 24',
    output: 'dist',
  },
  'workspace-npm': {
    root: 'server',
    files: {
      'package.json': json({ workspaces: ['server', 'shared'] }),
      ...LOCK,
      'server/package.json': json({ name: 'server', scripts: { build: 'tsc', start: 'node dist/index.js' } }),
    },
    title: 'npm, Node.js 24',
    start: 'node dist/index.js',
  },
  'settings-decide': {
    files: {
      'package.json': json({ scripts: { start: 'node a.js' }, dependencies: { express: '5' } }),
      ...LOCK,
      Procfile: 'web: node b.js\n',
    },
    settings: { installCommand: 'npm ci --omit=dev', buildCommand: 'make all', startCommand: 'node c.js --port "$PORT"' },
    title: 'Express 5, npm, Node.js 24',
    start: 'node c.js --port "$PORT"',
  },
  'berth-json-decides': {
    files: {
      'package.json': json({ scripts: { start: 'node a.js' } }),
      ...LOCK,
      Procfile: 'web: node b.js\nworker: node w.js\n',
      'berth.json': '{\n  "startCommand": "node d.js"\n}\n',
    },
    settings: { startCommand: 'node c.js' },
    title: 'npm, Node.js 24',
    start: 'node d.js',
  },
  'two-lock-files': {
    files: { 'package.json': json({ scripts: { start: 'node a.js' } }), ...LOCK, 'yarn.lock': '' },
    problem: 'The repository has lock files of different package managers: package-lock.json and yarn.lock.',
  },
  'no-start': {
    files: { 'package.json': json({ name: 'library', main: 'missing.js' }), ...LOCK },
    problem: 'Berth cannot tell how to start this project',
  },
  'wrong-version': {
    files: { 'package.json': json({ scripts: { start: 'node a.js' }, engines: { node: '>=99' } }), ...LOCK },
    problem: 'engines.node in package.json asks for Node.js ">=99", which does not exist.',
  },
  'broken-package-json': { files: { 'package.json': '{ "name": ' }, problem: 'package.json is not valid JSON' },
  'sveltekit-auto': {
    files: { 'package.json': json({ scripts: build, devDependencies: { '@sveltejs/kit': '2', '@sveltejs/adapter-auto': '6' } }), ...LOCK },
    problem: 'SvelteKit without an adapter',
  },
  'site-without-build': {
    files: { 'package.json': json({ devDependencies: { vite: '6' } }), ...LOCK },
    problem: 'package.json has no "build" script',
  },
  'berth-json-wrong': {
    files: {
      'package.json': '{}',
      'berth.json': '{\n  "startCommand": "x",\n  "bulidCommand": "y",\n  "buildArgs": {\n    "A B": "z"\n  }\n}',
    },
    problem: 'Line 3: bulidCommand is not a known setting. Line 5: buildArgs.A B must be a map',
  },
  'output-out-of-it': {
    files: { 'package.json': json({ scripts: build, devDependencies: { vite: '6' } }), ...LOCK },
    settings: { outputDirectory: 'a b' },
    problem: 'The output directory is "a b", which cannot be used in a build.',
  },
} as const satisfies Record<string, ProjectRow>
