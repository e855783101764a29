import { Outlet } from '@tanstack/react-router'
import { ButtonLink } from '../components/button.tsx'
import { EmptyState } from '../components/states.tsx'
import { isAdmin, useMe } from '../features/session/queries.ts'
import { paths } from '../paths.ts'

/** The server refuses these pages to non-admins anyway; this tells them why. */
export function AdminLayout() {
  const person = useMe()
  if (!isAdmin(person))
    return (
      <EmptyState page icon="users" title="For admins only" action={<ButtonLink to={paths.overview()}>Go to overview</ButtonLink>}>
        Ask an admin if you need something changed here.
      </EmptyState>
    )
  return <Outlet />
}
