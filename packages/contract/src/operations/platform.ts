import Type from 'typebox'
import { AuditEntry, AuditQuery } from '../audit.ts'
import { CleanUpRequest, CleanUpResult, DiskUsage } from '../disk.ts'
import { Finding } from '../doctor.ts'
import { Health } from '../health.ts'
import { MetricsHistory } from '../metrics.ts'
import { ControlPlane, NodeOnly } from '../nodes.ts'
import { operation } from '../operation.ts'
import { Overview } from '../overview.ts'
import { PublishedPort } from '../ports.ts'
import { Settings, SettingsChange } from '../settings.ts'
import { Template } from '../templates.ts'

/** The platform itself. */
// biome-ignore format: a summary line and a line of facts per operation, so that the list reads like a table
export const platformOperations = {
  health: operation({
    summary: 'Get the health of Berth and its parts',
    method: 'GET', path: '/health', may: 'anyone', answer: Health, shape: 'bare',
  }),
  'metrics.history': operation({
    summary: 'Get the server metrics of the last hour',
    method: 'GET', path: '/api/metrics/history', may: 'signed in', answer: MetricsHistory,
  }),
  'templates.list': operation({
    summary: 'List the database templates',
    method: 'GET', path: '/api/templates', may: 'signed in', answer: Type.Array(Template),
  }),
  'doctor.run': operation({
    summary: 'Check the machine: data, disk, clock, git, Docker, certificates, domains and apps',
    method: 'GET', path: '/api/doctor', may: 'owner', answer: Type.Array(Finding),
  }),
  'nodes.list': operation({
    summary: 'List the control planes on this database, by name; empty if there is only one, without a name',
    method: 'GET', path: '/api/nodes', may: 'admin', answer: Type.Array(ControlPlane),
  }),
  'nodes.remove': operation({
    summary: 'Forget a control plane that is gone for good, so that its ports are free',
    method: 'DELETE', path: '/api/nodes/remove', may: 'owner', body: NodeOnly, answer: Type.Array(ControlPlane),
  }),
  'settings.get': operation({
    summary: 'Get the settings of the server',
    method: 'GET', path: '/api/settings', may: 'admin', answer: Settings,
  }),
  'settings.update': operation({
    summary: 'Change settings; only the fields you send change',
    method: 'PUT', path: '/api/settings', may: 'admin', body: SettingsChange, answer: Settings,
  }),
  'ports.list': operation({
    summary: 'List the ports of the server that lead to services of apps',
    method: 'GET', path: '/api/ports', may: 'admin', answer: Type.Array(PublishedPort),
  }),
  'audit.list': operation({
    summary: 'List the audit log, newest first',
    method: 'GET', path: '/api/audit', may: 'admin', query: AuditQuery, answer: Type.Array(AuditEntry),
  }),
  'overview.get': operation({
    summary: 'Get an overview of every app you can see',
    method: 'GET', path: '/api/overview', may: 'signed in', answer: Overview,
  }),
  'disk.usage': operation({
    summary: 'Get the disk usage by kind, and how much a clean-up would free',
    method: 'GET', path: '/api/disk', may: 'admin', answer: DiskUsage,
  }),
  'disk.cleanUp': operation({
    summary: 'Free disk space: build cache, or the images of releases that are not live',
    method: 'POST', path: '/api/disk/clean-up', may: 'admin', body: CleanUpRequest, answer: CleanUpResult,
  }),
} as const
