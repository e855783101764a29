import Type from 'typebox'
import { AppOnly } from '../applications.ts'
import { CertificateUpload, Domain, DomainChange, DomainOnly, NewDomain } from '../domains.ts'
import { Deleted } from '../ids.ts'
import { operation } from '../operation.ts'

/** The host names of an app, and their certificates. */
// biome-ignore format: a summary line and a line of facts per operation, so that the list reads like a table
export const domainOperations = {
  'domains.create': operation({
    summary: 'Add a domain to an app',
    method: 'POST', path: '/api/apps/domains/create', may: 'member of the app', body: NewDomain, answer: Domain,
  }),
  'domains.list': operation({
    summary: 'List the domains of an app',
    method: 'POST', path: '/api/apps/domains/get', may: 'member of the app', body: AppOnly, answer: Type.Array(Domain),
  }),
  'domains.update': operation({
    summary: 'Set whether a domain redirects to https and sends HSTS',
    method: 'PUT', path: '/api/apps/domains/update', may: 'member of the domain', body: DomainChange, answer: Domain,
  }),
  'domains.check': operation({
    summary: 'Check the DNS of a domain now, and retry its certificate',
    method: 'POST', path: '/api/apps/domains/check', may: 'member of the domain', body: DomainOnly, answer: Domain,
  }),
  'domains.setCertificate': operation({
    summary: 'Use your own certificate for a domain',
    method: 'PUT', path: '/api/apps/domains/certificate', may: 'member of the domain', body: CertificateUpload, answer: Domain,
  }),
  'domains.removeCertificate': operation({
    summary: 'Stop using your own certificate for a domain',
    method: 'DELETE', path: '/api/apps/domains/certificate', may: 'member of the domain', body: DomainOnly, answer: Domain,
  }),
  'domains.delete': operation({
    summary: 'Remove a domain',
    method: 'DELETE', path: '/api/apps/domains/delete', may: 'member of the domain', body: DomainOnly, answer: Deleted,
  }),
} as const
