FROM mcr.microsoft.com/dotnet/sdk:8.0 AS build
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/root/.nuget/packages dotnet restore src/Shop.Api/Shop.Api.csproj
RUN --mount=type=cache,target=/root/.nuget/packages dotnet publish src/Shop.Api/Shop.Api.csproj -c Release -o /out --no-restore

FROM mcr.microsoft.com/dotnet/aspnet:8.0
WORKDIR /app
COPY --from=build /out/ /app/
ENV PORT=3000 ASPNETCORE_HTTP_PORTS=3000 DOTNET_EnableDiagnostics=0
USER 1654:1654
EXPOSE 3000
CMD ["dotnet", "Shop.Api.dll"]
