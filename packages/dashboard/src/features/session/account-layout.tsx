import { Outlet } from '@tanstack/react-router'
import { PageHeader } from '../../components/page.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { paths } from '../../paths.ts'

export function AccountLayout() {
  return (
    <>
      <PageHeader title="Account" />
      <Tabs
        label="Account"
        tabs={[
          { label: 'Profile', to: paths.account(), exact: true },
          { label: 'Git', to: paths.accountGit() },
          { label: 'Registries', to: paths.accountRegistries() },
        ]}
      />
      <Outlet />
    </>
  )
}
