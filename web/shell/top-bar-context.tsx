import { createContext, type ReactNode, useContext, useLayoutEffect, useState } from "react";

export interface Collaborator {
  id: string;
  username: string;
  first_name: string;
  last_name: string;
  avatar: string | null;
}

/** What a screen tells the top bar about itself. */
export interface TopBarContent {
  /** Where the back link goes. */
  back?: string | undefined;
  project?: string | undefined;
  graph?: string | undefined;
  members?: readonly Collaborator[] | undefined;
}

const nothing: TopBarContent = {};
const ContentContext = createContext<TopBarContent>(nothing);
const SetContentContext = createContext<(content: TopBarContent) => void>(() => undefined);

export function TopBarProvider({ children }: { children: ReactNode }) {
  const [content, setContent] = useState(nothing);
  return (
    <SetContentContext value={setContent}>
      <ContentContext value={content}>{children}</ContentContext>
    </SetContentContext>
  );
}

/** Called by a screen; what it says holds while the screen is there. Keep `members` stable between renders. */
export function useTopBar({ back, project, graph, members }: TopBarContent): void {
  const setContent = useContext(SetContentContext);
  useLayoutEffect(() => {
    setContent({ back, project, graph, members });
    return () => setContent(nothing);
  }, [setContent, back, project, graph, members]);
}

export function useTopBarContent(): TopBarContent {
  return useContext(ContentContext);
}
