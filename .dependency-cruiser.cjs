const machinery = '^packages/server/src/(http|store|queue|nodes|events|engine|edge|git|git-hosts|provision|lib)/'
const testFiles = ['[.]test[.]tsx?$', '[.]long[.]ts$', '^packages/[^/]+/test/', '^packages/server/testing/']

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Two files that need each other are one file, or a third is missing.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'features-meet-in-app',
      comment: 'A feature knows another by type only; values are handed over in app.ts.',
      severity: 'error',
      from: { path: '^packages/server/src/features/([^/]+)/', pathNot: testFiles },
      to: { path: '^packages/server/src/features/', pathNot: '^packages/server/src/features/$1/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'machinery-knows-no-feature',
      comment: 'Imports go one way: lists, features, machinery, contract.',
      severity: 'error',
      from: { path: machinery, pathNot: testFiles },
      to: { path: '^packages/server/src/features/' },
    },
    {
      name: 'domain-knows-no-feature',
      comment: 'Shared nouns are a floor: features, routing and reconcile stand on it.',
      severity: 'error',
      from: { path: '^packages/server/src/domain/', pathNot: testFiles },
      to: { path: '^packages/server/src/(app|features|routing|reconcile)/' },
    },
    {
      name: 'loops-are-reached-from-app',
      comment: 'Routing and reconcile compare rows with the world; app/ hands them to the features that need them.',
      severity: 'error',
      from: { path: '^packages/server/src/', pathNot: [...testFiles, '^packages/server/src/(app|routing|reconcile)/'] },
      to: { path: '^packages/server/src/(routing|reconcile)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'loops-know-no-feature',
      comment: 'What routing and reconcile share with features lies in domain/; the rest app/ hands to them.',
      severity: 'error',
      from: { path: '^packages/server/src/(routing|reconcile)/', pathNot: testFiles },
      to: { path: '^packages/server/src/features/' },
    },
    {
      name: 'http-knows-callers-and-rows',
      comment: 'Of the domain, http/ knows who asks and which object is asked for; what is done with it is the business of features.',
      severity: 'error',
      from: { path: '^packages/server/src/http/', pathNot: testFiles },
      to: { path: '^packages/server/src/domain/', pathNot: '^packages/server/src/domain/(caller|rows)[.]ts$' },
    },
    {
      name: 'machinery-knows-no-domain',
      comment: 'Only the queue knows the names of jobs, by type.',
      severity: 'error',
      from: { path: machinery, pathNot: [...testFiles, '^packages/server/src/(http|queue)/'] },
      to: { path: '^packages/server/src/domain/' },
    },
    {
      name: 'builders-only-read',
      comment: 'From the files of a repository to a plan, as pure functions: nothing of the server but lib/.',
      severity: 'error',
      from: { path: '^packages/server/src/builders/', pathNot: testFiles },
      to: { path: '^packages/server/src/', pathNot: '^packages/server/src/(builders|lib)/' },
    },
    {
      name: 'maintenance-needs-no-server',
      comment: 'Its commands run without a server, on its data: none of its parts, no requests, no queue.',
      severity: 'error',
      from: { path: '^packages/server/src/maintenance/', pathNot: testFiles },
      to: { path: '^packages/server/src/(app|http|queue|routing|reconcile)/' },
    },
    {
      name: 'maintenance-is-reached-from-main',
      comment: 'A command of the machine is no part of the server.',
      severity: 'error',
      from: { path: '^packages/server/src/', pathNot: [...testFiles, '^packages/server/src/(maintenance/|main[.]ts$)'] },
      to: { path: '^packages/server/src/maintenance/' },
    },
    {
      name: 'contract-stands-alone',
      comment: 'The contract runs in the browser, the CLI and the server: TypeBox and nothing else.',
      severity: 'error',
      from: { path: '^packages/contract/', pathNot: testFiles },
      to: { pathNot: ['^packages/contract/', '(^|/)node_modules/typebox/'] },
    },
    {
      name: 'clients-speak-the-contract',
      comment: 'The dashboard and the CLI know the server through the contract only.',
      severity: 'error',
      from: { path: '^packages/(dashboard|cli)/', pathNot: testFiles },
      to: { path: '^(packages|bench|scripts|e2e)/', pathNot: ['^packages/contract/', '^packages/$1/'] },
    },
    {
      name: 'dashboard-features-share-queries',
      comment: "Of another feature only its queries.ts is known; what several features show or do lies in the dashboard's shared/.",
      severity: 'error',
      from: { path: '^packages/dashboard/src/features/([^/]+)/', pathNot: testFiles },
      to: {
        path: '^packages/dashboard/src/(features|app)/',
        pathNot: ['^packages/dashboard/src/features/$1/', '^packages/dashboard/src/features/[^/]+/queries[.]ts$'],
      },
    },
    {
      name: 'dashboard-floor-knows-no-feature',
      comment: 'Imports go one way: app, features, shared, components, lib. Of a feature, shared knows the queries.',
      severity: 'error',
      from: { path: '^packages/dashboard/src/(shared|components|lib)/', pathNot: testFiles },
      to: { path: '^packages/dashboard/src/(features|app)/', pathNot: '^packages/dashboard/src/features/[^/]+/queries[.]ts$' },
    },
    {
      name: 'only-stores-speak-sql',
      comment: 'Queries live in store files; everything else may name the types.',
      severity: 'error',
      from: {
        path: '^packages/server/',
        pathNot: [...testFiles, '/store[.]ts$', '-store[.]ts$', '^packages/server/src/(store|queue|events|domain)/'],
      },
      to: { path: '(^|/)node_modules/kysely/', dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Anchored: a bare `dist/` would leave out most packages of node_modules, and with them the rules about packages.
    exclude: { path: ['^packages/[^/]+/dist/', '^scripts/guards/fixtures/', '^data/'] },
    // 'specify' keeps type-only imports in the graph and marks them, which two of the rules need.
    tsPreCompilationDeps: 'specify',
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
}
