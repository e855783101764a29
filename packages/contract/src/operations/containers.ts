import { AppOnly } from '../applications.ts'
import { ContainerLogs, ContainerMessage, ContainerStatus, ContainerUsage, LogsQuery } from '../containers.ts'
import { operation } from '../operation.ts'

/** The containers of the live release of an application. */
// biome-ignore format: one line of words and one of facts for each operation, so that the table can be read as one
export const containerOperations = {
  'containers.start': operation({
    summary: "Start the application's container",
    method: 'POST', path: '/api/apps/container/start', may: 'member of the app', query: AppOnly, answer: ContainerMessage, message: 'Container started successfully',
  }),
  'containers.stop': operation({
    summary: "Stop the application's container",
    method: 'POST', path: '/api/apps/container/stop', may: 'member of the app', query: AppOnly, answer: ContainerMessage, message: 'Container stopped successfully',
  }),
  'containers.restart': operation({
    summary: "Restart the application's container",
    method: 'POST', path: '/api/apps/container/restart', may: 'member of the app', query: AppOnly, answer: ContainerMessage, message: 'Container restarted successfully',
  }),
  'containers.status': operation({
    summary: "The state of the application's container",
    method: 'GET', path: '/api/apps/container/status', may: 'member of the app', query: AppOnly, answer: ContainerStatus, message: 'Container status retrieved successfully',
  }),
  'containers.logs': operation({
    summary: 'The last lines that the container printed',
    method: 'GET', path: '/api/apps/container/logs', may: 'member of the app', query: LogsQuery, answer: ContainerLogs, message: 'Container logs retrieved successfully',
  }),
  'containers.usage': operation({
    summary: 'Processor and memory that the container uses now',
    method: 'GET', path: '/api/apps/container/usage', may: 'member of the app', query: AppOnly, answer: ContainerUsage, message: 'Container usage retrieved successfully',
  }),
} as const
