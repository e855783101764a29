import { randomInt } from 'node:crypto'

/** A database that Berth knows how to run. */
export type DatabaseTemplate = {
  name: string
  aliases: readonly string[]
  title: string
  description: string
  image: string
  version: string
  port: number
  dataPath: string
  /** The initial environment, with new secrets for each app. */
  env: (secret: () => string) => Record<string, string>
  /** Run inside the container; 0 means healthy. Values come from the container's own environment. */
  healthCommand: readonly string[]
  command?: readonly string[]
  url: (host: string, env: Readonly<Record<string, string>>) => string
}

const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789'

export function newSecret(): string {
  return Array.from({ length: 32 }, () => LETTERS[randomInt(LETTERS.length)]).join('')
}

function part(env: Readonly<Record<string, string>>, name: string): string {
  return encodeURIComponent((env[name] ?? '').toWellFormed()) // a lone surrogate would throw
}

export const TEMPLATES: readonly DatabaseTemplate[] = [
  {
    name: 'postgresql',
    aliases: ['postgres'],
    title: 'PostgreSQL',
    description: 'A relational database that suits most apps',
    image: 'postgres:17',
    version: '17',
    port: 5432,
    dataPath: '/var/lib/postgresql/data',
    env: (secret) => ({
      POSTGRES_USER: 'berth',
      POSTGRES_PASSWORD: secret(),
      POSTGRES_DB: 'app',
      PGDATA: '/var/lib/postgresql/data/pgdata',
    }),
    healthCommand: ['pg_isready', '-h', '127.0.0.1', '-q'],
    url: (host, env) =>
      `postgres://${part(env, 'POSTGRES_USER')}:${part(env, 'POSTGRES_PASSWORD')}@${host}:5432/${part(env, 'POSTGRES_DB')}`,
  },
  {
    name: 'mysql',
    aliases: [],
    title: 'MySQL',
    description: 'A widely used relational database',
    image: 'mysql:8.4',
    version: '8.4',
    port: 3306,
    dataPath: '/var/lib/mysql',
    env: (secret) => ({ MYSQL_ROOT_PASSWORD: secret(), MYSQL_USER: 'berth', MYSQL_PASSWORD: secret(), MYSQL_DATABASE: 'app' }),
    healthCommand: ['mysqladmin', 'ping', '-h', '127.0.0.1', '--silent'],
    url: (host, env) => `mysql://${part(env, 'MYSQL_USER')}:${part(env, 'MYSQL_PASSWORD')}@${host}:3306/${part(env, 'MYSQL_DATABASE')}`,
  },
  {
    name: 'mariadb',
    aliases: [],
    title: 'MariaDB',
    description: 'A community-developed relational database',
    image: 'mariadb:11.8',
    version: '11.8',
    port: 3306,
    dataPath: '/var/lib/mysql',
    env: (secret) => ({ MARIADB_ROOT_PASSWORD: secret(), MARIADB_USER: 'berth', MARIADB_PASSWORD: secret(), MARIADB_DATABASE: 'app' }),
    healthCommand: ['healthcheck.sh', '--connect', '--innodb_initialized'],
    url: (host, env) =>
      `mysql://${part(env, 'MARIADB_USER')}:${part(env, 'MARIADB_PASSWORD')}@${host}:3306/${part(env, 'MARIADB_DATABASE')}`,
  },
  {
    name: 'redis',
    aliases: [],
    title: 'Redis',
    description: 'A fast store for caches, queues and sessions',
    image: 'redis:8',
    version: '8',
    port: 6379,
    dataPath: '/data',
    env: (secret) => ({ REDIS_PASSWORD: secret() }),
    command: ['sh', '-c', 'exec redis-server --dir /data --appendonly yes --requirepass "$REDIS_PASSWORD"'],
    healthCommand: ['sh', '-c', 'REDISCLI_AUTH="$REDIS_PASSWORD" redis-cli ping'],
    url: (host, env) => `redis://default:${part(env, 'REDIS_PASSWORD')}@${host}:6379/0`,
  },
  {
    name: 'mongodb',
    aliases: ['mongo'],
    title: 'MongoDB',
    description: 'A document database',
    image: 'mongo:8',
    version: '8',
    port: 27017,
    dataPath: '/data/db',
    env: (secret) => ({ MONGO_INITDB_ROOT_USERNAME: 'berth', MONGO_INITDB_ROOT_PASSWORD: secret(), MONGO_INITDB_DATABASE: 'app' }),
    healthCommand: ['mongosh', '--quiet', '--eval', 'db.adminCommand("ping").ok'],
    url: (host, env) =>
      `mongodb://${part(env, 'MONGO_INITDB_ROOT_USERNAME')}:${part(env, 'MONGO_INITDB_ROOT_PASSWORD')}@${host}:27017/${part(env, 'MONGO_INITDB_DATABASE')}?authSource=admin`,
  },
]

/** The shell commands above run inside the database's container and are fixed texts without user input. */
export function findTemplate(name: string): DatabaseTemplate | undefined {
  const wanted = name.trim().toLowerCase()
  return TEMPLATES.find((template) => template.name === wanted || template.aliases.includes(wanted))
}
