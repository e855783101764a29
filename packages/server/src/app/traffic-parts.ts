import { isStaff } from '../domain/caller.ts'
import { findUser } from '../domain/rows.ts'
import type { EdgeRoutes } from '../edge/edge.ts'
import { probeTarget } from '../features/deployments/release/health/probes.ts'
import { isBelow } from '../features/domains/base-domain.ts'
import { createDomainCertificates } from '../features/domains/certificates.ts'
import { createGeneratedDomains } from '../features/domains/generated-domain.ts'
import { ownRecords, recordsOfOthers } from '../features/domains/own-address.ts'
import { createServerAddress } from '../features/domains/server-address.ts'
import { createDomains } from '../features/domains/service.ts'
import { isHostTaken } from '../features/domains/store.ts'
import { createSettings } from '../features/settings/service.ts'
import { readSettings } from '../features/settings/store.ts'
import type { Leadership } from '../nodes/leadership.ts'
import { createRouting } from '../routing/routing.ts'
import { createWantedRoutes } from '../routing/wanted-routes.ts'
import type { Db } from '../store/database.ts'
import { createEdgeParts } from './edge-parts.ts'
import type { EngineParts } from './engine-parts.ts'
import type { Foundation } from './foundation.ts'

/** Everything on the path of a visitor: the edge, the routes, the domains, and the settings that affect them. */
export async function createTrafficParts(base: Foundation, { engine, edgeHost }: EngineParts, leadership: Leadership | undefined) {
  const { config, db, instance, now, log, tuning } = base
  const generatedDomains = createGeneratedDomains({ readSettings, now })
  const { readBase } = generatedDomains
  const edgeParts = await createEdgeParts({
    ...base,
    node: base.node && leadership && { bootId: base.node.bootId, orders: { isOurs: leadership.isHeld, run: leadership.run } },
    host: edgeHost,
    engine,
    isLeading: () => leadership?.isHeld() ?? true,
    sharedName: createSharedName({ db, readBase }),
    onStatus: (host, status) =>
      void domainCertificates.onStatus(host, status).catch((err: unknown) => log.warn({ host, err }, 'certificate status was not saved')),
  })
  const { edge } = edgeParts
  const dashboard = () => dashboardRoute(base.settings().dashboardDomain, config.port)
  const baseDomain = async () => await readBase(db)
  const wanted = createWantedRoutes({ db, engine, instance, dashboard, baseDomain, releaseOf: base.openRelease, probe: probeTarget })
  const routing = createRouting({ wanted, edge, tuning, log, node: base.node && { db, bootId: base.node.bootId } })
  const onRowsChanged = () => {
    routing.rowsChanged()
    base.background.wake('certificates')
  }
  const onContainersChanged = (appId: number) => {
    routing.containersChanged(appId)
    base.background.wake('certificates')
  }

  const certificates = () => edgeParts.certificates
  const domainCertificates = createDomainCertificates({ db, now, log, readSettings, readBase, certificates, checkDns: edgeParts.checkDns })
  const domains = createDomains({
    db,
    now,
    readSettings,
    readBase,
    certificates: domainCertificates,
    edgePorts: config.edge,
    ownRecords: async () => [...(await ownRecords()), ...recordsOfOthers(edgeParts.otherEdges.addresses())],
    onChanged: onRowsChanged,
  })
  const onSettings = async () => {
    await base.reloadSettings()
    onRowsChanged()
  }
  const moveDomains = generatedDomains.moveToBase
  const settings = createSettings({ db, now, moveDomains, isHostOfApp: isHostTaken, onChanged: onSettings })
  const serverAddress = createServerAddress({ db, log, ownRecords, onChanged: moveDomains, afterChange: onRowsChanged })
  return {
    edgeParts,
    edge,
    routing,
    onRowsChanged,
    onContainersChanged,
    generatedDomains,
    wantCertificates: createWantCertificates(domainCertificates.wantAll, leadership),
    domains,
    settings,
    serverAddress,
  }
}

type ReadBase = ReturnType<typeof createGeneratedDomains>['readBase']

/** Everybody's generated domains are below the base domain. An admin may do anything there; members each get their share. */
function createSharedName({ db, readBase }: { db: Db; readBase: ReadBase }) {
  return async (host: string, ownerId: number): Promise<string | undefined> => {
    const base = await readBase(db)
    if (base === undefined || !isBelow(host, base)) return undefined
    const owner = await findUser(db, ownerId)
    return owner && isStaff(owner) ? undefined : base.name
  }
}

type WantAll = ReturnType<typeof createDomainCertificates>['wantAll']

/** Of several nodes one looks after the names and the orders; all of them serve the certificates. */
function createWantCertificates(wantAll: WantAll, leadership: Leadership | undefined): WantAll {
  if (leadership === undefined) return wantAll
  return async (turn) => {
    if (leadership.isHeld()) await leadership.run(async () => await wantAll(turn))
    else await wantAll({ ...turn, isOurs: false })
  }
}

export type TrafficParts = Awaited<ReturnType<typeof createTrafficParts>>

function dashboardRoute(host: string, port: number): EdgeRoutes['dashboard'] {
  if (host === '') return undefined
  return { host: { host, redirectHttps: true, hsts: true }, target: { ip: '127.0.0.1', port } }
}
