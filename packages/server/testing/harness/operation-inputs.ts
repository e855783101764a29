import type { Input, OperationName } from '@berth/contract'
import { OWNER, PASSWORD } from './start-test-server.ts'
import { type Subject, UNREACHABLE_HOST } from './test-world.ts'

type Given = { subject: Subject; n: number; newUserId: number; password: string }
type Maker<Name extends OperationName> = (given: Given) => unknown extends Input<Name> ? Record<never, never> : Input<Name>

const nothing = () => ({})
const ofApp = ({ subject }: Given) => ({ appId: subject.appId })
const ofEnv = ({ subject }: Given) => ({ id: subject.envId })
const ofDomain = ({ subject }: Given) => ({ id: subject.domainId })
const ofAccount = ({ subject }: Given) => ({ id: subject.accountId })
const ofProject = ({ subject }: Given) => ({ id: subject.projectId })

/** A valid input for every operation. An operation without one does not compile. */
const INPUTS: { [Name in OperationName]: Maker<Name> } = {
  health: nothing,
  'auth.setup': ({ n }) => ({ token: 'a-token', email: `setup-${n}@example.test`, password: PASSWORD }),
  'auth.login': () => ({ ...OWNER }),
  'auth.logout': nothing,
  'auth.me': nothing,
  'auth.password': ({ password }) => ({ currentPassword: password, newPassword: password }),
  'auth.sessions': nothing,
  'auth.endSession': () => ({ id: '0'.repeat(32) }),
  'auth.endOtherSessions': nothing,
  'auth.join': () => ({ token: 'a-token', password: PASSWORD }),
  'invitations.list': nothing,
  'invitations.create': ({ n }) => ({ email: `invited-${n}@example.test` }),
  'invitations.delete': () => ({ id: 987_654_321 }),
  'users.list': nothing,
  'users.create': ({ n }) => ({ email: `new-${n}@example.test`, password: PASSWORD }),
  'users.update': ({ newUserId, n }) => ({ id: newUserId, email: `renamed-${n}@example.test` }),
  'users.delete': ({ newUserId }) => ({ id: newUserId }),
  'projects.list': nothing,
  'projects.create': ({ n }) => ({ name: `Another ${n}` }),
  'projects.get': ofProject,
  'projects.update': (given) => ({ ...ofProject(given), name: 'Renamed' }),
  'projects.members': (given) => ({ ...ofProject(given), userIds: [given.subject.userId] }),
  'projects.delete': ofProject,
  'apps.create': ({ subject, n }) => ({ projectId: subject.projectId, name: `app ${n}` }),
  'apps.list': ({ subject }) => ({ projectId: subject.projectId }),
  'apps.listAll': nothing,
  'apps.get': ofApp,
  'apps.update': (given) => ({ ...ofApp(given), description: 'Changed' }),
  'apps.delete': ofApp,
  'apps.transfer': (given) => ({ ...ofApp(given), userId: given.subject.userId }),
  'apps.connection': ({ subject }) => ({ appId: subject.databaseAppId }),
  'apps.storage': ofApp,
  'apps.traffic': ofApp,
  'apps.checkSource': ({ subject }) => ({ projectId: subject.projectId, gitCloneUrl: 'https://127.0.0.1:1/owner/repository.git' }),
  'apps.checkSourceFiles': ({ subject }) => ({ projectId: subject.projectId, gitCloneUrl: 'https://127.0.0.1:1/owner/repository.git' }),
  'containers.start': ofApp,
  'containers.stop': ofApp,
  'containers.restart': ofApp,
  'containers.status': ofApp,
  'containers.logs': (given) => ({ ...ofApp(given), tail: 10 }),
  'containers.logPage': ofApp,
  'containers.logSearch': (given) => ({ ...ofApp(given), search: 'error' }),
  'containers.logFile': ofApp,
  'containers.usage': ofApp,
  'envs.create': (given) => ({ ...ofApp(given), key: `KEY_${given.n}`, value: 'x' }),
  'envs.list': ofApp,
  'envs.changes': ofApp,
  'envs.replace': (given) => ({ ...ofApp(given), variables: [{ key: 'ONLY', value: 'this' }] }),
  'envs.update': (given) => ({ ...ofEnv(given), value: 'green' }),
  'envs.delete': ofEnv,
  'projectEnvs.list': ({ subject }) => ({ projectId: subject.projectId }),
  'projectEnvs.replace': ({ subject, n }) => ({ projectId: subject.projectId, variables: [{ key: `KEY_${n}`, value: 'x' }] }),
  'domains.create': (given) => ({ ...ofApp(given), domain: `extra-${given.n}.example.com` }),
  'domains.list': ofApp,
  'domains.update': (given) => ({ ...ofDomain(given), hsts: false }),
  'domains.check': ofDomain,
  'domains.setCertificate': (given) => ({ ...ofDomain(given), certificate: 'no certificate', privateKey: 'no key' }),
  'domains.removeCertificate': ofDomain,
  'domains.delete': ofDomain,
  'deployments.add': ofApp,
  'deployments.listByApp': ofApp,
  'deployments.log': ({ subject }) => ({ deploymentId: subject.liveId }),
  'deployments.create': ofApp,
  'deployments.list': ofApp,
  'deployments.get': ({ subject }) => ({ id: subject.liveId }),
  'deployments.compare': ({ subject }) => ({ deploymentId: subject.liveId, withId: subject.releaseId }),
  'deployments.running': nothing,
  'deployments.stop': ({ subject }) => ({ deploymentId: subject.waitingId }),
  'deployments.rollback': ({ subject }) => ({ deploymentId: subject.releaseId }),
  'deployments.applySuggestion': ({ subject }) => ({ deploymentId: subject.liveId, suggestionId: 'retry' }),
  'overview.get': nothing,
  'disk.usage': nothing,
  'disk.cleanUp': () => ({ kinds: ['cache'] }),
  'metrics.history': nothing,
  'templates.list': nothing,
  'ports.list': nothing,
  'settings.get': nothing,
  'settings.update': () => ({ retention: 6 }),
  'audit.list': () => ({ limit: 5 }),
  'git.accounts': nothing,
  'git.createAccount': () => ({ provider: 'gitea', token: 'a-token-of-nobody', baseUrl: UNREACHABLE_HOST }),
  'git.checkAccount': ofAccount,
  'git.deleteAccount': ofAccount,
  'git.repos': ({ subject }) => ({ installationId: subject.accountId }),
  'git.branches': ({ subject }) => ({ installationId: subject.accountId, repoFullName: 'owner/repository' }),
  'webhooks.git': nothing,
  'updates.version': nothing,
  'updates.check': nothing,
  'updates.apply': nothing,
  'updates.status': nothing,
  'updates.clear': nothing,
}

/** The input of one operation as plain fields, for a loop over all names. */
export function inputOf(name: OperationName, given: Given): Record<string, unknown> {
  return INPUTS[name](given)
}
