import Type from 'typebox'
import { AppOnly } from '../applications.ts'
import {
  ContainerLogs,
  ContainerMessage,
  ContainerStatus,
  ContainerUsage,
  LogFileQuery,
  LogPage,
  LogPageQuery,
  LogSearch,
  LogSearchQuery,
  LogsQuery,
} from '../containers.ts'
import { AppGlance, Figures, FiguresQuery } from '../metrics.ts'
import { operation } from '../operation.ts'

/** The containers of the live release of an app. */
// biome-ignore format: a summary line and a line of facts per operation, so that the list reads like a table
export const containerOperations = {
  'containers.start': operation({
    summary: "Start the app's container",
    method: 'POST', path: '/api/apps/container/start', may: 'member of the app', query: AppOnly, answer: ContainerMessage, message: 'Container started successfully',
  }),
  'containers.stop': operation({
    summary: "Stop the app's container",
    method: 'POST', path: '/api/apps/container/stop', may: 'member of the app', query: AppOnly, answer: ContainerMessage, message: 'Container stopped successfully',
  }),
  'containers.restart': operation({
    summary: "Restart the app's container",
    method: 'POST', path: '/api/apps/container/restart', may: 'member of the app', query: AppOnly, answer: ContainerMessage, message: 'Container restarted successfully',
  }),
  'containers.status': operation({
    summary: "Get the state of the app's container",
    method: 'GET', path: '/api/apps/container/status', may: 'member of the app', query: AppOnly, answer: ContainerStatus, message: 'Container status retrieved successfully',
  }),
  'containers.logs': operation({
    summary: 'Get the last lines the container printed',
    method: 'GET', path: '/api/apps/container/logs', may: 'member of the app', query: LogsQuery, answer: ContainerLogs, message: 'Container logs retrieved successfully',
  }),
  'containers.logPage': operation({
    summary: 'Get a page of the container log: the newest lines, or those before, after or around a given line',
    method: 'GET', path: '/api/apps/container/logs/page', may: 'member of the app', query: LogPageQuery, answer: LogPage,
  }),
  'containers.logSearch': operation({
    summary: 'Search the container log, ignoring case: the number of matches, and the newest ones with the lines around them',
    method: 'GET', path: '/api/apps/container/logs/search', may: 'member of the app', query: LogSearchQuery, answer: LogSearch,
  }),
  'containers.logFile': operation({
    summary: 'Download the whole container log as text, with timestamps',
    method: 'GET', path: '/api/apps/container/logs/file', may: 'member of the app', query: LogFileQuery, shape: 'text',
  }),
  'containers.usage': operation({
    summary: 'Get the CPU and memory the container uses now',
    method: 'GET', path: '/api/apps/container/usage', may: 'member of the app', query: AppOnly, answer: ContainerUsage, message: 'Container usage retrieved successfully',
  }),
  'figures.get': operation({
    summary: 'Get the CPU, memory, requests, latency and errors of an app over the last 1, 6 or 24 hours',
    method: 'GET', path: '/api/apps/figures', may: 'member of the app', query: FiguresQuery, answer: Figures,
  }),
  'figures.glance': operation({
    summary: 'Get the CPU usage over the last hour of every app you can see',
    method: 'GET', path: '/api/apps/figures/glance', may: 'signed in', answer: Type.Array(AppGlance),
  }),
} as const
