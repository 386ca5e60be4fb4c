# /// script
# dependencies = ["pandas>=2.2,<4", "sqlalchemy>=2,<3"]
# ///
import sqlalchemy

from miranda import Field, Node, Receiver, Secret, Select, Text, Transmitter


class WriteSql(Node):
    """Writes a table to an SQL database by its address, as a new table or below the rows of an old one."""

    table = Receiver("dataframe")
    address = Field("sqlite:///result.db", control=Secret())
    name = Field("result", control=Text())
    if_it_exists = Field("fail", control=Select("fail", "append", "replace"))
    rows = Transmitter("int")
    cache = False

    def run(self):
        engine = sqlalchemy.create_engine(self.address)
        try:
            with engine.begin() as connection:
                self.table.to_sql(self.name, connection, if_exists=self.if_it_exists, index=False)
        finally:
            engine.dispose()
        self.log.info("%d rows to %s", len(self.table), self.name)
        self.rows.send(len(self.table))
