import Type, { type Static } from 'typebox'
import { expects, Flag, Id, Nullable, OneOf, Port, Time } from './fields.ts'
import { ServiceName } from './stacks.ts'

export const SSL_STATUSES = ['none', 'pending', 'active', 'failed'] as const
export type SslStatus = (typeof SSL_STATUSES)[number]
export const DNS_STATUSES = ['unknown', 'ok', 'wrong'] as const
export type DnsStatus = (typeof DNS_STATUSES)[number]

export const SslStatus = OneOf(SSL_STATUSES)
export const DnsStatus = OneOf(DNS_STATUSES)

/** An address of this server, as the DNS record that a host name needs. A private one does not work from outside. */
export const DnsRecord = Type.Object({ type: OneOf(['A', 'AAAA']), value: Type.String(), isPrivate: Type.Boolean() })
export type DnsRecord = Static<typeof DnsRecord>

export const Domain = Type.Object({
  id: Id,
  appId: Id,
  domain: Type.String(),
  url: Type.String(),
  generated: Type.Boolean(),
  sslStatus: SslStatus,
  sslError: Type.String(),
  dnsStatus: DnsStatus,
  dnsError: Type.String(),
  dnsRecords: Type.Array(DnsRecord),
  expiresAt: Nullable(Time),
  nextTryAt: Nullable(Time),
  redirectHttps: Type.Boolean(),
  hsts: Type.Boolean(),
  ownCertificate: Type.Boolean(),
  /** For a compose app: the service and port that it leads to; empty and null for a domain of the app itself. */
  service: Type.String(),
  port: Nullable(Port),
  createdAt: Time,
})
export type Domain = Static<typeof Domain>

const HostName = Type.String({ minLength: 1, maxLength: 1000, ...expects('a host name such as app.example.com') })
const Pem = Type.String({ minLength: 1, maxLength: 200_000, ...expects('text in PEM form') })

export const NewDomain = Type.Object({
  appId: Id,
  domain: HostName,
  service: Type.Optional(ServiceName),
  port: Type.Optional(Nullable(Port)),
})
export const DomainChange = Type.Object({ id: Id, redirectHttps: Type.Optional(Flag), hsts: Type.Optional(Flag) })
export const DomainOnly = Type.Object({ id: Id })
export const CertificateUpload = Type.Object({ id: Id, certificate: Pem, privateKey: Pem })
