import Type from 'typebox'
import { AppOnly } from '../applications.ts'
import { CertificateUpload, Domain, DomainChange, DomainOnly, NewDomain } from '../domains.ts'
import { Deleted } from '../ids.ts'
import { operation } from '../operation.ts'

/** The host names of an application, and their certificates. */
// biome-ignore format: one line of words and one of facts for each operation, so that the table can be read as one
export const domainOperations = {
  'domains.create': operation({
    summary: 'Give an application a host name',
    method: 'POST', path: '/api/apps/domains/create', may: 'member of the app', body: NewDomain, answer: Domain,
  }),
  'domains.list': operation({
    summary: 'The host names of an application',
    method: 'POST', path: '/api/apps/domains/get', may: 'member of the app', body: AppOnly, answer: Type.Array(Domain),
  }),
  'domains.update': operation({
    summary: 'Whether a host redirects to https and sends HSTS',
    method: 'PUT', path: '/api/apps/domains/update', may: 'member of the domain', body: DomainChange, answer: Domain,
  }),
  'domains.check': operation({
    summary: 'Look at the DNS of a host name now, and try its certificate again',
    method: 'POST', path: '/api/apps/domains/check', may: 'member of the domain', body: DomainOnly, answer: Domain,
  }),
  'domains.setCertificate': operation({
    summary: "Use one's own certificate for a host name",
    method: 'PUT', path: '/api/apps/domains/certificate', may: 'member of the domain', body: CertificateUpload, answer: Domain,
  }),
  'domains.removeCertificate': operation({
    summary: "Remove one's own certificate again",
    method: 'DELETE', path: '/api/apps/domains/certificate', may: 'member of the domain', body: DomainOnly, answer: Domain,
  }),
  'domains.delete': operation({
    summary: 'Take a host name away',
    method: 'DELETE', path: '/api/apps/domains/delete', may: 'member of the domain', body: DomainOnly, answer: Deleted,
  }),
} as const
