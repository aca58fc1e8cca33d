// Roles of a person: one for all farms, and one for each farm. Farms that are not shown here keep theirs.
import { ROLES, type Role } from '../../../model/permissions/permissions.data.ts';
import type { Person } from '../../../wire/api/people/people.ts';
import { useApp, useTexts } from '../../app-state.ts';
import { useFarm } from '../../live/farm-state.ts';

export type Roles = Pick<Person, 'role' | 'farm_roles'>;

type RoleFieldsProps = { readonly value: Roles; readonly onChange: (roles: Roles) => void };

export function RoleFields({ value, onChange }: RoleFieldsProps) {
  const { session } = useApp();
  const { ref } = useFarm();
  const texts = useTexts();
  const state = session.value;
  const farms = state.kind === 'open' ? state.session.farms : [];
  const own = farms.filter(({ workspace_id }) => workspace_id === ref.workspaceId);
  const { role, farm_roles } = value;
  const setFarm = (farmId: string, chosen: Role | null) => {
    const others = farm_roles.filter(({ farm_id }) => farm_id !== farmId);
    onChange({ role, farm_roles: chosen === null ? others : [...others, { farm_id: farmId, role: chosen }] });
  };
  return (
    <>
      <RoleChoice
        label={texts.people.role}
        none={texts.people.someFarms}
        role={role}
        onChange={(chosen) => onChange({ role: chosen, farm_roles })}
      />
      <details class="fold" open={role === null}>
        <summary>{texts.people.farmRoles}</summary>
        {own.map(({ id, name }) => (
          <RoleChoice
            key={id}
            label={name ?? id}
            none={role === null ? texts.people.noRole : texts.people.asEverywhere}
            role={farm_roles.find(({ farm_id }) => farm_id === id)?.role ?? null}
            onChange={(chosen) => setFarm(id, chosen)}
          />
        ))}
      </details>
    </>
  );
}

type RoleChoiceProps = {
  readonly label: string;
  /** What it means to choose no role. */
  readonly none: string;
  readonly role: Role | null;
  readonly onChange: (role: Role | null) => void;
};

function RoleChoice({ label, none, role, onChange }: RoleChoiceProps) {
  const texts = useTexts();
  return (
    <label>
      {label}
      <select
        value={role ?? ''}
        onChange={({ currentTarget: { value } }) => onChange(ROLES.find((name) => name === value) ?? null)}
      >
        <option value="">{none}</option>
        {ROLES.map((name) => (
          <option key={name} value={name}>
            {texts.role[name]}: {texts.people.mayDo[name]}
          </option>
        ))}
      </select>
    </label>
  );
}
