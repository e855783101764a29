import { Outlet } from '@tanstack/react-router'
import { EmptyState } from '../components/states.tsx'
import { isAdmin, useMe } from '../features/session/queries.ts'

/** The server refuses these pages to non-admins anyway; this tells them why. */
export function AdminLayout() {
  const person = useMe()
  if (!isAdmin(person))
    return (
      <EmptyState page icon="users" title="For admins only">
        Ask an admin if you need a change here.
      </EmptyState>
    )
  return <Outlet />
}
