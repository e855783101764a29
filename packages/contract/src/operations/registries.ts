import Type from 'typebox'
import { AppOnly } from '../applications.ts'
import { Deleted } from '../ids.ts'
import { operation } from '../operation.ts'
import { ImageCheck, ImageLook, ImageLookRequest, NewRegistry, Registry, RegistryOnly } from '../registries.ts'

/** Image registries, and apps that run an image as it is. */
// biome-ignore format: a summary line and a line of facts per operation, so that the list reads like a table
export const registryOperations = {
  'registries.list': operation({
    summary: 'List the registries you can use; admins also see that others exist',
    method: 'GET', path: '/api/registries', may: 'signed in', answer: Type.Array(Registry),
  }),
  'registries.create': operation({
    summary: 'Save credentials for an image registry after checking them there; replaces those for the same host',
    method: 'POST', path: '/api/registries/create', may: 'signed in', body: NewRegistry, answer: Registry,
  }),
  'registries.check': operation({
    summary: 'Check with the registry whether the credentials work',
    method: 'POST', path: '/api/registries/check', may: 'user of the registry', body: RegistryOnly, answer: Registry,
  }),
  'registries.delete': operation({
    summary: 'Delete the credentials for a registry',
    method: 'DELETE', path: '/api/registries/delete', may: 'owner of the registry', body: RegistryOnly, answer: Deleted,
  }),
  'apps.lookAtImage': operation({
    summary: 'Check whether an image can be pulled with the credentials that an app of this project would use',
    method: 'POST', path: '/api/apps/image/look', may: 'member of the project', body: ImageLookRequest, answer: ImageLook,
  }),
  'apps.checkImage': operation({
    summary: "Check whether the registry has a newer image for the app's tag",
    method: 'POST', path: '/api/apps/image/check', may: 'member of the app', body: AppOnly, answer: ImageCheck,
  }),
} as const
